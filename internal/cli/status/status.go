// Package status is warp status.
package status

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

type options struct {
	json, watch bool
	every       time.Duration
}

// New makes the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the drive's phase, issue and commits",
		Long: `Show the drive's phase, issue and commits, and one line for each unfinished drive in
other work trees of the repository.

(stale) means that the process that started the drive is gone; the drive can still be
resumed. Exit 2 when there is no session, here or in another work tree.`,
		Example: "  warp status\n  warp status --watch\n  warp status --json | jq .phase\n  warp status --json | jq '.others[] | [.issue, .phase]'",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if o.watch {
				return watch(ctx, a, d, o)
			}
			return show(a, d, o)
		}),
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the state as JSON, with project, stale and others")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "update the display on every change, until interrupted")
	c.Flags().DurationVar(&o.every, "every", time.Second, "interval of --watch")
	return c
}

func show(a *app.App, d *turnstile.Drive, o options) error {
	s, err := look(a, d)
	if err != nil {
		return err
	}
	a.Notes(s.notes)
	return s.print(a, o)
}

func (s sight) print(a *app.App, o options) error {
	if o.json {
		_, err := a.Out.Write(s.json())
		return err
	}
	if s.view != nil {
		render.Status(a.Out, s.project, s.view.State, s.view.Stale)
	} else {
		a.Printf("There is no warp-drive session in %s.\n", render.Printable(s.project))
	}
	render.Others(a.Out, s.others, a.Env.Now())
	return nil
}

// watch prints the drives whenever they differ from what was printed last. It
// ends with the last of them, or when it is interrupted.
func watch(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	tick := time.NewTicker(max(o.every, 50*time.Millisecond))
	defer tick.Stop()
	last := ""
	for {
		s, err := look(a, d)
		if durable.IsMissing(err) && last != "" {
			a.Printf("the session ended\n")
			return nil
		}
		if err != nil {
			return err
		}
		if now := string(s.json()); now != last {
			if a.Color && !o.json {
				fmt.Fprint(a.Out, "\x1b[H\x1b[2J")
			} else if last != "" && !o.json {
				a.Printf("\n")
			}
			if err := s.print(a, o); err != nil {
				return err
			}
			last = now
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// shown is a folder as people at the root see it.
func shown(root, folder string) string {
	if rel, err := filepath.Rel(root, folder); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return folder
}
