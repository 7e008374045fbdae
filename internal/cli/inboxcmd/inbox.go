// Package inboxcmd is warp inbox, warp answer and warp ask: the decisions that wait for a
// person. It also alerts the person at this machine: on the desktop, and with the terminal's bell.
package inboxcmd

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/questions"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

type itemJSON struct {
	ID       string   `json:"id"`
	State    string   `json:"state"`
	AskedAt  string   `json:"asked_at"`
	AskedBy  string   `json:"asked_by"`
	Issue    string   `json:"issue,omitempty"`
	Chunk    int      `json:"chunk,omitempty"`
	Question string   `json:"question"`
	Context  string   `json:"context,omitempty"`
	Options  []string `json:"options,omitempty"`
	Default  string   `json:"default,omitempty"`
	Deadline string   `json:"deadline"`
	Answer   string   `json:"answer,omitempty"`
	By       string   `json:"answered_by,omitempty"`
	Late     bool     `json:"late,omitempty"`
}

// New returns warp inbox.
func New(a *app.App) *cobra.Command {
	var all bool
	c := a.WithJSON("print them as JSON", &cobra.Command{
		Use:   "inbox",
		Short: "List decisions that wait for a person",
		Long: `List decisions that wait for a person: what the engine, an agent or a gate asks, the
deadline, and the options. Answer one with warp answer.

A question past its deadline is overdue: a todo was filed for it, or the agent
continued without an answer. One that is defaulted was answered with its own default
(see the setting unattended). You can still answer both; the answer is kept, and counts
when the item is picked up again. --all also shows answered questions.`,
		Example: "  warp inbox\n  warp inbox --json | jq -r '.[].id'\n  warp answer q7 2",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			desk, err := Desk(a, d)
			if err != nil {
				return err
			}
			book, err := desk.Book()
			if err != nil {
				return err
			}
			items := book.Pending()
			if all {
				items = book.Items
			}
			return list(a, items, all)
		}),
	})
	c.Flags().BoolVar(&all, "all", false, "also show answered questions")
	return c
}

func list(a *app.App, items []questions.Item, all bool) error {
	now := a.Env.Now()
	if a.AsJSON {
		out := []itemJSON{}
		for _, i := range items {
			out = append(out, itemJSON{i.ID, i.State(now), i.AskedAt, i.AskedBy, i.Issue, i.Chunk, i.Question, i.Context, i.Options, i.Default, i.Deadline, i.Answer, i.AnsweredBy, i.Late})
		}
		return a.JSON(out)
	}
	if len(items) == 0 {
		a.Printf("Nothing waits for an answer.\n")
		return nil
	}
	for _, i := range items {
		about := i.AskedBy
		if i.Issue != "" {
			about += ", #" + i.Issue
		}
		a.Printf("%s  %s (%s, %s)\n", i.ID, indentLines(i.Question), render.Printable(about), i.State(now))
		for n, o := range i.Options {
			mark := ""
			if o == i.Default {
				mark = " (default)"
			}
			a.Printf("    %d. %s%s\n", n+1, indentLines(o), mark)
		}
		a.Printf("    %s\n", describeState(i, now))
	}
	return nil
}

// indentLines indents the lines of a text, so that none looks like another question.
func indentLines(s string) string {
	return strings.ReplaceAll(render.Printable(s), "\n", "\n       ")
}

func describeState(i questions.Item, now time.Time) string {
	switch {
	case i.Taken:
		return fmt.Sprintf("-> %s, by %s; used by %s at %s", render.Printable(i.Answer), render.Printable(i.AnsweredBy), render.Printable(i.TakenBy), localTime(i.TakenAt, now))
	case i.Answered():
		return fmt.Sprintf("-> %s, by %s", render.Printable(i.Answer), render.Printable(i.AnsweredBy))
	case i.Defaulted != "":
		return fmt.Sprintf("the default was taken at %s: warp answer %s … changes it", localTime(i.Defaulted, now), i.ID)
	case i.Deadline == "":
		return fmt.Sprintf("waits for you: warp answer %s …", i.ID)
	}
	return fmt.Sprintf("until %s: warp answer %s …", localTime(i.Deadline, now), i.ID)
}

// localTime formats a timestamp in the zone of now, without the date if it is today.
func localTime(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}
