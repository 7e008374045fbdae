// Package stop is warp stop.
package stop

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drive"
	"warp/internal/turnstile"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var hard bool
	c := &cobra.Command{
		Use:   "stop",
		Short: "Stop the drive: gracefully, or --hard by deleting its state",
		Long: `Stop the drive.

Without a flag the drive moves to the phase aborted; whoever works on it next
cleans up (WIP commit, abort report). --hard deletes the state file at once: no
clean-up, no report, uncommitted work stays in the work tree. A damaged state
file is set aside instead of deleted.`,
		Example: "  warp stop\n  warp stop --hard",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if hard {
				notes, err := d.Reset()
				a.Notes(notes)
				if err == nil {
					a.Printf("state deleted; uncommitted work stays in the work tree\n")
				}
				return err
			}
			res, err := d.Fire(ctx, drive.Abort, "")
			return a.Report(res, err, false)
		}),
	}
	c.Flags().BoolVar(&hard, "hard", false, "delete the state file immediately")
	return c
}
