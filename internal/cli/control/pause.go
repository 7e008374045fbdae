package control

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
)

// Pause makes warp pause.
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
			issue, work, err := meant(a, d, args)
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

// Continue makes warp continue.
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
			issue, work, err := meant(a, d, args)
			if work != nil {
				return a.BecomeNetIn(work.Root, resumeLine.of(*work))
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
			return a.Report(res, err, false)
		}),
	}
}
