package recover

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/recovery"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func resetCommand(a *app.App) *cobra.Command {
	var yes bool
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "reset",
		Short: "Emergency: set states aside, release locks of dead processes, forget lost work trees",
		Long: `Unblock the repository when nothing else helps:

  state      of each unfinished drive: moved to .warp-drive-state.json.reset-…
  lease      of dead processes: released
  work tree  whose folder is gone: forgotten by git; what was staged there is kept

No file of a work tree is touched, no branch is moved, nothing is filed: your
uncommitted work, and the drive's, stays where it is. warp recover run restores a
drive. On a terminal it asks first; elsewhere, without --yes, it only lists.

It is refused while an engine drives (exit 11): run warp stop first.`,
		Example: "  warp recover reset\n  warp recover reset --yes",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			r, err := open(ctx, a, d, false)
			if err != nil {
				return err
			}
			plan, err := r.Reset(ctx)
			if err != nil {
				return err
			}
			return reset(ctx, a, plan, yes)
		}),
	})
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func reset(ctx context.Context, a *app.App, plan []*recovery.Step, yes bool) error {
	if len(plan) == 0 && !a.AsJSON {
		a.Printf("There is nothing to reset.\n")
		return nil
	}
	if !a.AsJSON {
		for _, s := range plan {
			a.Printf("%-10s %s\n", s.What, render.Printable(s.Name))
		}
		switch {
		case yes:
		case a.Terminal:
			if yes = app.Confirm(a, "\nReset all of it?"); !yes {
				a.Printf("Nothing was changed.\n")
			}
		default:
			a.Printf("\nNothing was changed; run warp recover reset --yes to do it.\n")
		}
	}
	for _, s := range plan {
		if !yes {
			break
		}
		if err := s.Do(ctx); err != nil {
			return err
		}
		for _, k := range s.Kept {
			a.Note("kept: %s", k)
		}
	}
	return a.Show(struct {
		Steps []*recovery.Step `json:"steps"`
	}{plan}, func() {
		if yes {
			a.Printf("done\n")
		}
	})
}
