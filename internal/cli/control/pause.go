package control

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/sys/pinned"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// Pause returns warp pause.
func Pause(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "pause [name]",
		Short: "Pause a drive, session or workflow until warp continue or warp stop",
		Long: `Pause the drive of this folder; with an issue number the drive of that issue, in any
work tree; with a name a session or workflow. A session or workflow that is paused has
no process: warp continue NAME runs it again.`,
		Example: "  warp pause\n  warp pause 42\n  warp pause auth",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			issue, work, err := resolveTarget(a, d, args)
			if work != nil {
				return stopWork(ctx, a, *work)
			}
			if err == nil {
				d, err = driveOf(a, d, issue)
			}
			if err != nil {
				return err
			}
			v, err := d.Pause()
			a.Notes(v.Notes)
			if err != nil {
				return err
			}
			a.Printf("paused in %s; no budget is charged until warp continue\n", v.State.Phase)
			return nil
		}),
	}
}

// Continue returns warp continue.
func Continue(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "continue [name]",
		Short: "End a pause, grant a new budget after one is spent, or take the next requirement",
		Long: `End a pause, grant a new budget after one is spent, or take the next requirement: of
the drive of this folder, or of the drive of an issue. With the name of a session or
workflow, run it again, as warp resume NAME does.`,
		Example: "  warp continue\n  warp continue 42\n  warp continue auth",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			issue, work, err := resolveTarget(a, d, args)
			if work != nil {
				return a.BecomeNetIn(work.Root, work.Line("resume"))
			}
			if err == nil {
				d, err = driveOf(a, d, issue)
			}
			if err != nil {
				return err
			}
			res, err := d.Continue(ctx)
			if err == nil && res.Event == "" {
				a.Notes(res.Notes)
				a.Printf("continuing in %s\n", res.To)
				return nil
			}
			return a.Report(res, err)
		}),
	}
}

// Override returns warp override.
func Override(a *app.App) *cobra.Command {
	var reason string
	var window time.Duration
	c := &cobra.Command{
		Use:   "override --reason TEXT",
		Short: "Suspend the guards of the drive's branches for a while, as a person",
		Long: `Let git move the branches of an active drive for a while: its own, and the merge
target. A branch that moved unseen by the guards is accepted as it is now, and a
frozen drive continues. The reason is recorded in the journal.

This is a person's decision: it is refused inside an agent's session.`,
		Example: "  warp override --reason \"my own fix\" && git commit -am \"fix: typo\"\n  warp override --reason \"rebased by hand\" --for 1h",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			switch {
			case reason == "":
				return app.WrongUsage("--reason is missing: say why, it is recorded in the journal")
			case window <= 0 || window > 24*time.Hour:
				return app.WrongUsage("--for %s: it must be more than 0 and at most 24h", window)
			}
			s, err := d.Watch.Override(reason, window)
			if err == nil {
				err = pinned.Renew(d.Root())
			}
			if err != nil {
				return err
			}
			a.Printf("the guards of %s are suspended until %s\n", render.Printable(strings.Join(s.Guards().Branches(), ", ")), render.Seconds(s.Override.Until))
			return nil
		}),
	}
	c.Flags().StringVar(&reason, "reason", "", "why; recorded in the journal")
	c.Flags().DurationVar(&window, "for", 10*time.Minute, "how long")
	return c
}
