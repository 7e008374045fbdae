// Package status is warp status: what happens here now, of every kind.
package status

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

const everyDefault = time.Second

type options struct {
	json, watch bool
	every       time.Duration
}

// New makes the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "status",
		Short: "Show what runs, waits or is parked, since when, its cost, and what to do about it",
		Long: `Show what happens in this repository and its work trees: drives, loops, pipelines,
quality loops and workflows. For each: what it does, since when, what it has cost, the
question that waits for an answer, and, if it does not go on by itself, why and the
command that helps. The drive of this folder is shown in full, and open pull requests of
workflows with their checks and requested changes (drives follow those of issues).

The states: running; waiting (for an answer, or until a time); parked (needs a person);
paused; interrupted (its process is gone); stopped, done, failed.

(stale) means that the process that started the drive is gone; the drive can still be
resumed. Exit 2 when nothing is unfinished here and this folder has no drive.`,
		Example: "  warp status\n  warp status --watch\n  warp status --json | jq .phase\n  warp status --json | jq '.items[] | [.name, .state, .why]'",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			r := feed.Open(d, a.Env)
			if o.watch && a.Terminal && a.Redraw && !o.json && o.every == everyDefault {
				return background.Watch(a, "")
			}
			if o.watch {
				return watch(ctx, a, r, o)
			}
			return show(ctx, a, d, r, o)
		}),
	}
	c.Flags().BoolVar(&o.json, "json", false, "print the drive's state as JSON, with project, stale, others, items, questions and today")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "keep the display up to date, until interrupted; on a terminal it is warp watch")
	c.Flags().DurationVar(&o.every, "every", everyDefault, "interval of --watch, which then prints and does not become warp watch")
	return c
}

// read reads the feed. That the drive here is damaged is an error; that there is none is
// one when there is nothing else to show.
func read(r *feed.Reader) (*feed.Feed, error) {
	f, err := r.Read()
	if err == nil && f.Err != nil && !durable.IsMissing(f.Err) {
		err = f.Err
	}
	return f, err
}

// idle reports whether nothing is unfinished, and this folder has no drive.
func idle(f *feed.Feed) bool {
	_, here := f.Here()
	return !here && len(f.Open()) == 0
}

func show(ctx context.Context, a *app.App, d *turnstile.Drive, r *feed.Reader, o options) error {
	f, err := read(r)
	if err != nil {
		return err
	}
	a.Notes(f.Notes)
	if idle(f) && len(f.Items)+len(f.Questions) == 0 {
		return f.Err
	}
	if err := print(a, f, o); err != nil {
		return err
	}
	if !o.json {
		showPulls(ctx, a, d)
	}
	if idle(f) {
		return &app.Silent{Code: app.Usage}
	}
	return nil
}

// showPulls says how the pull requests of workflows are: nights do not follow them. The
// tracker is asked by warp-net, and only where there are some.
func showPulls(ctx context.Context, a *app.App, d *turnstile.Drive) {
	list, err := documents.ListPulls(d.Project.Home(), git.Repo{Dir: d.Root()})
	if err != nil || len(list) == 0 {
		return // where there is no repository, there is no pull request
	}
	a.Printf("\n")
	if err := a.RunNet(ctx, d.Root(), []string{"workflow", "pulls"}); err != nil && err.Error() != "" {
		a.Notes([]string{err.Error()})
	}
}

func print(a *app.App, f *feed.Feed, o options) error {
	if o.json {
		_, err := a.Out.Write(document(f))
		return err
	}
	render.Status(a.Out, f, a.Env.Now())
	return nil
}

// watch shows what there is whenever it differs from what was shown last; a terminal is
// drawn anew each time, so that times go on. It ends when nothing is left to watch, or
// when it is interrupted.
func watch(ctx context.Context, a *app.App, r *feed.Reader, o options) error {
	tick := time.NewTicker(max(o.every, 50*time.Millisecond))
	defer tick.Stop()
	last := ""
	for {
		f, err := read(r)
		if err != nil {
			return err
		}
		if idle(f) && last == "" {
			a.Notes(f.Notes)
			return f.Err
		}
		if idle(f) {
			a.Printf("the session ended\n")
			return nil
		}
		now, drawn := string(document(f)), a.Redraw && !o.json
		if now != last || drawn {
			if drawn {
				fmt.Fprint(a.Out, "\x1b[H\x1b[2J")
			} else if last != "" && !o.json {
				a.Printf("\n")
			}
			if err := print(a, f, o); err != nil {
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
