package workflowcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/forge"
	"warp/internal/engine/land"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// showPull says what became of the pull request that a workflow has opened. Nights follow
// those of issues alone: of this one, a person has to hear.
func showPull(ctx context.Context, a *app.App, d *turnstile.Drive, s *workflowstate.State) error {
	if s.Orchestrator.Status != workflowstate.Completed {
		return nil
	}
	landed, err := land.ListLanded(d.Project.Home())
	if err != nil {
		return err
	}
	n := slices.IndexFunc(landed, func(l evidence.Landed) bool { return l.Branch == s.Branch && l.Pull != 0 })
	if n < 0 {
		return nil
	}
	state, do := "", ""
	t, err := tracker.Open(ctx, a, d)
	if err == nil {
		state, do, err = describePull(ctx, t, landed[n])
	}
	if err != nil {
		state = "its state is unknown: " + err.Error()
	}
	a.Printf("pull request #%d %s: %s\n", landed[n].Pull, render.Printable(landed[n].URL), render.Printable(state))
	if do != "" {
		a.Printf("  do: %s\n", do)
	}
	return nil
}

// describePull says how a pull request is, and what a person can do about it.
func describePull(ctx context.Context, t forge.Tracker, l evidence.Landed) (state, do string, err error) {
	p, err := t.Pull(ctx, l.Pull)
	switch {
	case err != nil:
		return "", "", err
	case p.Merged:
		return "merged", "", nil
	case !p.Open:
		return "closed without a merge", "", nil
	}
	var wrong []string
	waits := 0
	if w, is := t.(forge.PullWatcher); is {
		checks, err := w.Checks(ctx, p.Commit)
		if err != nil {
			return "", "", err
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
			return "", "", err
		}
		for _, r := range forge.Objections(reviews) {
			wrong = append(wrong, text.Clip(text.OneLine(r.Author), 60)+" requested changes")
		}
	}
	switch {
	case len(wrong) > 0:
		return "open, " + strings.Join(wrong, ", "), "git switch " + l.Branch + ", fix it there and push: warp follows pull requests of issues, not of workflows", nil
	case waits > 0:
		return fmt.Sprintf("open, %s under way", text.Count(waits, "check")), "warp workflow status", nil
	}
	return "open", "review and merge it", nil
}
