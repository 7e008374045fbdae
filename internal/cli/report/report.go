// Package report is warp report: the account of a morning.
package report

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/evidencecmd"
	"warp/internal/core/drivestate"
	core "warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/durable"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "report",
		Short: "Show what was merged, what was not and why, what it cost, what waits for a person",
		Long: `Show the outcome of the requirements worked on since a time: what was merged, what
was not and why, what it cost, what was undone of an agent's work, and what waits for
a person. Waiting drives are shown regardless of when they started.

The report is read from the journals of the repository's work trees. It does not
know about pull requests merged elsewhere.`,
		Example: "  warp report\n  warp report --since 8h\n  warp report --since 2026-11-14 --json | jq .cost",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			from, err := app.ParseMoment(since, a.Env.Now())
			if err != nil {
				return &app.UsageError{Err: err}
			}
			r, err := evidencecmd.Gather(d, a.Env)
			a.Notes(r.Notes)
			if err != nil {
				return err
			}
			digest := r.Book.Digest(from)
			settle(&digest, r.Drives)
			if err := addDefaults(&digest, d.Project.Home(), a.Env.Now); err != nil {
				a.Notes([]string{err.Error()})
			}
			if asJSON {
				return a.JSON(digest)
			}
			print(evidencecmd.Sheet{W: a.Out, Colours: a.Color}, digest, from)
			return nil
		}),
	}
	c.Flags().StringVar(&since, "since", "yesterday", "start: today, yesterday, 24h, 7d, 2026-11-14, or a time such as 2026-11-14T22:00:00Z")
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

// addDefaults adds the defaults that agents took for want of an answer, from inside
// their runs: those that an engine took are in its evidence.
func addDefaults(d *core.Digest, home *durable.Store, now func() time.Time) error {
	pending, err := inbox.Open(home, now, inbox.Hear{}).Pending()
	for _, i := range pending {
		if i.AskedBy == questions.Agent && i.Defaulted != "" && i.Defaulted >= d.Since {
			d.Waiting = append(d.Waiting, core.Waiting{What: "default", Issue: i.Issue, Text: i.Question + " → " + i.Default, Do: core.ChangeDefault(i.ID)})
		}
	}
	return err
}

// settle adds what the drives themselves show: those that wait for a person, and
// those whose end is not recorded because they have none yet.
func settle(d *core.Digest, drives []evidencecmd.Standing) {
	for _, s := range drives {
		why, do := waits(s)
		if why != "" {
			d.Waiting = append(d.Waiting, core.Waiting{What: "drive", Issue: s.State.Issue(), Text: why + " (" + s.Root + ")", Do: do})
		}
		for i := range d.NotDone {
			if item := &d.NotDone[i]; item.Result == "" && item.Issue == s.State.Issue() && s.State.Phase.Active() {
				item.Why = "the drive is in phase " + string(s.State.Phase)
			}
		}
	}
	for i := range d.NotDone {
		if item := &d.NotDone[i]; item.Result == "" && item.Why == "" {
			item.Why, item.Do = "no end is recorded: it was interrupted, or driven inside an agent session", "warp evidence "+item.Issue
		}
	}
}

// waits says why a drive does not go on by itself, and what to do; "" when it
// does, or has ended.
func waits(s evidencecmd.Standing) (why, do string) {
	st := s.State
	switch {
	case !st.Phase.Active():
		return "", ""
	case st.Frozen != nil:
		return "frozen since " + render.Seconds(st.Frozen.At) + ", in phase " + string(st.Phase), "warp status shows what moved; restore it, or warp override --reason \"…\""
	case st.Paused != nil:
		return "paused since " + render.Seconds(st.Paused.At) + ", in phase " + string(st.Phase), "warp continue"
	case st.Phase == drivestate.BudgetExceeded:
		return budget(st)
	case st.Phase == drivestate.AwaitingContinue:
		return "it asks whether to take the next requirement", "warp continue, or warp stop"
	case st.Phase == drivestate.Aborted:
		return "aborted, not yet cleaned up", "warp resume"
	case s.Stale:
		return "no engine drives it, in phase " + string(st.Phase), "warp resume, or warp stop"
	}
	return "", ""
}
