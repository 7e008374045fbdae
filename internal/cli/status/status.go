// Package status is warp status.
package status

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/lossless"
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
		Short: "Show what phase the drive is in, which issue, how many commits",
		Long: `Show what phase the drive is in, which issue, how many commits.

(stale) means that the process which began the drive is gone; the drive can
still be resumed. Exit 2 when there is no session.`,
		Example: "  warp status\n  warp status --watch\n  warp status --json | jq .phase",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if o.watch {
				return watch(ctx, a, d, o)
			}
			return show(a, d, o)
		}),
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the state as JSON, with project and stale")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "show it again whenever it changes, until interrupted")
	c.Flags().DurationVar(&o.every, "every", time.Second, "how often --watch looks")
	return c
}

func show(a *app.App, d *turnstile.Drive, o options) error {
	v, err := d.Read()
	if err != nil {
		return err
	}
	a.Notes(v.Notes)
	return print(a, d, v, o)
}

func print(a *app.App, d *turnstile.Drive, v turnstile.View, o options) error {
	project := filepath.Base(d.Root())
	if o.json {
		_, err := a.Out.Write(v.JSON(
			lossless.Member{Key: "project", Value: lossless.NewString(project)},
			lossless.Member{Key: "stale", Value: lossless.Encode(v.Stale, nil)}))
		return err
	}
	render.Status(a.Out, project, v.State, v.Stale)
	return nil
}

// watch prints the drive whenever it differs from what was printed last. It
// ends with the drive's session, or when it is interrupted.
func watch(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	tick := time.NewTicker(max(o.every, 50*time.Millisecond))
	defer tick.Stop()
	last := ""
	for {
		v, err := d.Read()
		if durable.IsMissing(err) && last != "" {
			a.Printf("the session ended\n")
			return nil
		}
		if err != nil {
			return err
		}
		if now := string(v.JSON(lossless.Member{Key: "stale", Value: lossless.Encode(v.Stale, nil)})); now != last {
			if a.Terminal && !o.json {
				fmt.Fprint(a.Out, "\x1b[H\x1b[2J")
			} else if last != "" && !o.json {
				a.Printf("\n")
			}
			if err := print(a, d, v, o); err != nil {
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
