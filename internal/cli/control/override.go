package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
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
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			switch {
			case reason == "":
				return &app.UsageError{Err: errors.New("--reason is missing: say why, it is recorded in the journal")}
			case window <= 0 || window > 24*time.Hour:
				return &app.UsageError{Err: fmt.Errorf("--for %s: it must be more than 0 and at most 24h", window)}
			}
			s, err := d.Watch.Override(reason, window)
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
