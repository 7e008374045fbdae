// Package report is warp report, what happened since a time; warp evidence, what proves a requirement,
// criterion by criterion; and warp log, the phases of a drive or everything that happened.
package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	core "warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// Account is the content of the report.
type Account struct {
	core.Digest
	Work []feed.Item `json:"work"` // sessions and workflows
}

// Page renders a report on the time between two moments as HTML.
type Page func(f *feed.Feed, r Account, from, to time.Time) ([]byte, error)

// New returns the command without HTML pages, which are left to warp-ui.
func New(a *app.App) *cobra.Command { return With(a, nil) }

// With returns the command for a program that can render pages.
func With(a *app.App, page Page) *cobra.Command {
	var since, html string
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "report",
		Short: "Show what was merged, what was not and why, what it cost, what waits for a person",
		Long: `Show the outcome of the work since a time, of drives, loops, pipelines, quality loops
and workflows alike: what was merged, what was not and why, which approved issues were
passed over, which questions were decided by their default, what it cost, what was
undone of an agent's work, and what waits for a person. What waits is shown regardless
of when it started.

The report is read from the journals and documents of the repository's work trees. It
does not know about pull requests that were merged elsewhere, until the branch here has
their commits.

With --html it writes a file to send: the account, every criterion with its commit and
verdict, a chart of the runs, the money, what was undone, questions and answers. The file
needs no script and loads nothing from other hosts.`,
		Example: "  warp report\n  warp report --since 8h\n  warp report --since 2026-11-14 --json | jq .cost\n  warp report --html night.html",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			from, err := app.ParseMoment(since, a.Env.Now())
			if err != nil {
				return &app.UsageError{Err: err}
			}
			switch {
			case html != "" && a.AsJSON:
				return app.WrongUsage("--json and --html cannot be combined")
			case html != "" && page == nil:
				return a.BecomeUI([]string{"report", "--since", since, "--html", html})
			}
			f, err := feed.Read(d, a.Env)
			if err != nil {
				return err
			}
			a.Notes(f.Notes)
			r := newAccount(f, from)
			r.settlePulls(f.Book, git.Repo{Dir: d.Root()})
			if err := addInbox(&r.Digest, d.Project.Home(), a.Env.Now); err != nil {
				a.Note("%v", err)
			}
			if html != "" {
				text, err := page(f, r, from, a.Env.Now())
				if err != nil {
					return err
				}
				return write(a, html, text)
			}
			return a.Show(r, func() { print(sheet{W: a.Out, Colours: a.Color}, r, from, a.Env.Now()) })
		}),
	})
	c.Flags().StringVar(&since, "since", "yesterday", "start: today, yesterday, 24h, 7d, 2026-11-14, or a time such as 2026-11-14T22:00:00Z")
	c.Flags().StringVar(&html, "html", "", "write it as a page to this file; - prints the page")
	return c
}

// write writes the page, readable only by its owner because it reveals the project.
func write(a *app.App, file string, page []byte) error {
	if file == "-" {
		_, err := a.Out.Write(page)
		return err
	}
	if err := durable.WriteFile(app.Path(a, file), page, 0o600); err != nil {
		return fmt.Errorf("writing the page to %q: %w", file, err)
	}
	fmt.Fprintf(a.Err, "The report is in %s.\n", file)
	return nil
}

// addInbox adds what the inbox knows: the defaults that agents took in their runs for lack of an
// answer (those that an engine took are in its evidence), and late answers that no work has used yet.
func addInbox(d *core.Digest, home *durable.Store, now func() time.Time) error {
	asked, err := inbox.Open(home, now, inbox.Hear{}).Book()
	if err != nil {
		return err
	}
	for _, i := range asked.Pending() {
		if i.AskedBy == questions.Agent && i.Defaulted != "" && i.Defaulted >= d.Since {
			d.Waiting = append(d.Waiting, core.Waiting{What: "default", Issue: i.Issue, Text: i.Question + " → " + i.Default, Do: core.ChangeDefault(i.ID)})
		}
	}
	for _, i := range asked.Items {
		if filed := findTodo(d.Waiting, i.Issue, i.Question); filed >= 0 && i.Answered() && !i.Taken {
			d.Waiting[filed].Do = "you answered " + text.Flat(i.Answer) + "; warp drive " + i.Issue + " uses it"
		}
	}
	return nil
}

// settlePulls takes pull requests whose commits are in their target by now as merged: a person merged
// them, perhaps with git alone.
func (r *Account) settlePulls(book *core.Book, repo git.Repo) {
	r.Waiting = slices.DeleteFunc(r.Waiting, func(w core.Waiting) bool {
		l, known := core.Last(book.Landed, func(l core.Landed) bool { return l.Issue == w.Issue && l.Pull > 0 })
		if w.What != "pull" || !known {
			return false
		}
		in, err := repo.Descends("refs/heads/"+l.Row.Target, l.Row.Commit)
		if err != nil || !in {
			return false
		}
		for i := range r.Done {
			if item := &r.Done[i]; item.Issue == w.Issue {
				item.Result, item.Do, item.Why = core.Merged, "", ""
			}
		}
		return true
	})
}

// findTodo returns the place of the issue filed for a question, or -1.
func findTodo(waiting []core.Waiting, issue, question string) int {
	return slices.IndexFunc(waiting, func(w core.Waiting) bool {
		return w.What == "todo" && w.Issue == issue && strings.Contains(w.Text, question)
	})
}

func newAccount(f *feed.Feed, from time.Time) Account {
	r := Account{Digest: f.Book.Digest(from), Work: []feed.Item{}}
	for _, i := range f.Items {
		if i.Issue == "" && i.Drive.State == nil && (!i.State.Over() || !i.Ended.Before(from)) {
			r.Work = append(r.Work, i)
		}
	}
	for _, i := range f.Open() {
		r.explain(i)
		if needsPerson(i) {
			r.Waiting = slices.DeleteFunc(r.Waiting, func(w core.Waiting) bool { return w.Issue == i.Issue && w.Text == core.StoppedTitle }) // it has the same text
			r.Waiting = append(r.Waiting, core.Waiting{What: string(i.Kind), Name: i.Name, Issue: i.Issue, Text: cmp.Or(i.Why, string(i.State)+": "+i.Doing), Do: i.Do})
		}
	}
	for _, q := range f.Questions {
		if q.Taken {
			continue // the default stands, and is listed as such
		}
		if filed := findTodo(r.Waiting, q.Issue, q.Text); filed >= 0 { // the same question, with a shorter way to answer
			r.Waiting[filed].Do = "warp answer " + q.ID
			continue
		}
		r.Waiting = append(r.Waiting, core.Waiting{What: "question", Name: q.ID, Issue: q.Issue, Text: q.Text, Do: "warp answer " + q.ID})
	}
	for i := range r.NotDone {
		if item := &r.NotDone[i]; item.Result == "" && item.Why == "" {
			item.Why, item.Do = "no end is recorded: it was interrupted, or driven inside an agent session", "warp evidence "+item.Issue
		}
	}
	return r
}

// explain describes the drive of a requirement that has not ended.
func (r *Account) explain(i feed.Item) {
	for n := range r.NotDone {
		item := &r.NotDone[n]
		if item.Result != "" || item.Issue != i.Issue || i.Issue == "" || i.Drive.State == nil {
			continue
		}
		item.Why, item.Do = string(i.State)+": "+i.Doing, i.Do
		if i.Why != "" {
			item.Why += "; " + i.Why
		}
	}
}

// needsPerson reports whether an item needs a person to continue.
func needsPerson(i feed.Item) bool {
	return i.State == feed.Parked || i.State == feed.Paused || i.State == feed.Interrupted || i.State == feed.Waiting && i.Until.IsZero() && i.Question == nil
}
