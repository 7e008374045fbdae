package workflowcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/render"
)

// pullTime bounds the requests to the tracker.
const pullTime = 10 * time.Second

// pull is the state of a workflow's pull request.
type pull struct {
	Number int    `json:"number"`
	URL    string `json:"url"`
	Branch string `json:"branch"`
	Open   bool   `json:"open"` // or unknown
	State  string `json:"state"`
	Do     string `json:"do,omitempty"`

	settled bool // merged, which is final
}

func pulls(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use: "pulls", Short: "List the open pull requests of workflows: their checks, requested changes, and what to do",
		Example: "  warp workflow pulls\n  warp workflow pulls --json | jq '.[].state'",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			landed, err := documents.ListPulls(d.Project.Home(), git.Repo{Dir: d.Root()})
			if err != nil {
				return err
			}
			list := []pull{}
			for i, p := range describePulls(ctx, a, d, landed) {
				if p.Open {
					list = append(list, p)
				}
				if p.settled {
					rememberSettled(a, d, landed[i])
				}
			}
			return a.Show(list, func() {
				for _, p := range list {
					p.print(a)
				}
			})
		}),
	})
}

// rememberSettled records a merged pull request, so that the tracker is not asked again.
// Commands of agents write no evidence: it could not be signed.
func rememberSettled(a *app.App, d *turnstile.Drive, l evidence.Landed) {
	home := d.Project.Home()
	if a.Getenv("WARP_ROLE") != "" || !home.Signs() {
		return
	}
	landed, err := documents.ListLanded(home)
	if err == nil && slices.Contains(landed, l) { // otherwise the branch has landed again meanwhile
		l.Settled = true
		err = home.Append(event.Landed, l)
	}
	if err != nil {
		a.Note("the tracker will be asked again about pull request #%d, which is merged: %v", l.Pull, err)
	}
}

// showPull prints the state of the workflow's pull request. Nights follow only those of issues,
// so a person has to follow this one.
func showPull(ctx context.Context, a *app.App, d *turnstile.Drive, s *workflowstate.State) error {
	if s.Orchestrator.Status != workflowstate.Completed {
		return nil
	}
	landed, err := documents.ListLanded(d.Project.Home())
	if err != nil {
		return err
	}
	landed = slices.DeleteFunc(landed, func(l evidence.Landed) bool { return l.Branch != s.Branch || l.Pull == 0 })
	for _, p := range describePulls(ctx, a, d, landed) {
		p.print(a)
	}
	return nil
}

func (p pull) print(a *app.App) {
	a.Printf("pull request #%d %s: %s\n", p.Number, render.Printable(p.URL), render.Printable(p.State))
	if p.Do != "" {
		a.Printf("  do: %s\n", render.Printable(p.Do))
	}
}

// describePulls asks the tracker for the state of pull requests, which stays unknown if it does
// not respond.
func describePulls(ctx context.Context, a *app.App, d *turnstile.Drive, landed []evidence.Landed) (list []pull) {
	if len(landed) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	t, err := tracker.Open(ctx, a, d)
	for _, l := range landed {
		p, failed := pull{}, err
		if failed == nil {
			p, failed = describePull(ctx, t, l)
		}
		if failed != nil {
			p = pull{Open: true, State: "its state is unknown: " + failed.Error(), Do: "warp doctor tracker"}
		}
		p.Number, p.URL, p.Branch = l.Pull, l.URL, l.Branch
		list = append(list, p)
	}
	return list
}

// describePull returns the state of a pull request, and what a person can do about it.
func describePull(ctx context.Context, t forge.Tracker, l evidence.Landed) (pull, error) {
	p, err := t.Pull(ctx, l.Pull)
	switch {
	case err != nil:
		return pull{}, err
	case p.Merged:
		return pull{State: "merged", settled: p.URL == l.URL}, nil // another repository may have the same number
	case !p.Open:
		return pull{State: "closed without a merge"}, nil
	}
	var wrong []string
	waits := 0
	if w, is := t.(forge.PullWatcher); is {
		checks, err := w.Checks(ctx, p.Commit)
		if err != nil {
			return pull{}, err
		}
		for _, c := range checks {
			switch c.Verdict {
			case forge.Red:
				wrong = append(wrong, "the check "+text.Clip(text.OneLine(c.Name), 60)+" failed")
			case forge.Pending:
				waits++
			}
		}
		reviews, err := w.Reviews(ctx, l.Pull)
		if err != nil {
			return pull{}, err
		}
		for _, r := range forge.Objections(reviews) {
			wrong = append(wrong, text.Clip(text.OneLine(r.Author), 60)+" requested changes")
		}
	}
	switch {
	case len(wrong) > 0:
		return pull{Open: true, State: "open, " + strings.Join(wrong, ", "),
			Do: "git switch " + l.Branch + ", fix it there and push: warp follows pull requests of issues, not of workflows"}, nil
	case waits > 0:
		return pull{Open: true, State: fmt.Sprintf("open, %s under way", text.Count(waits, "check")), Do: "warp workflow pulls"}, nil
	}
	return pull{Open: true, State: "open", Do: "review and merge it"}, nil
}
