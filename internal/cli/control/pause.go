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
		Use:   "pause",
		Short: "Pause the drive until warp continue or warp stop",
		Args:  cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
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
		Use:   "continue",
		Short: "End a pause, grant a new budget after one is spent, or take the next requirement",
		Args:  cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
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
