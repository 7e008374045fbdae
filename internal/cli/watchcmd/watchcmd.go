// Package watchcmd is warp watch: the terminal UI, attached to whatever runs.
package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/fleetlink"
	"warp/internal/core/fleetview"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
	"warp/internal/ui/watch"
)

type options struct {
	name                      string
	all, once, noMouse, fleet bool
	flags                     []string // for warp-fleet
}

// framesPerSecond limits the output to a slow terminal; an unchanged screen sends nothing.
const framesPerSecond = 8

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "watch [NAME]",
		Short: "Watch drives, loops, pipelines and workflows in the terminal, and control them",
		Long: `Watch what runs in this repository and its work trees: the queue, and for the chosen one
its criteria with commit, test and verdict, what its agent does now, its runs, and the
question that waits. NAME is an issue's number, a session or a workflow to begin with.

It attaches to anything that runs, from any terminal, and leaves it running. Keys:

` + strings.Join(watch.HelpText(), "\n") + `

Answering, pausing and stopping run the same commands that you could type.

If the output is not a terminal, it prints one frame, as --once does, sized by COLUMNS
and LINES (default: 100 by 40).

--fleet shows a fleet instead, from anywhere: machines, queue, trains, money. NAME is then
repository#issue. It runs the program warp-fleet, which gets the flags after --.`,
		Example: "  warp watch\n  warp watch 42\n  warp watch --all\n  ssh build-host -t 'cd project && warp watch'\n  warp watch --once | less\n  warp watch --fleet\n  warp watch --fleet -- --connect fleet-host:7233 --tls",
	}
	c.Args = func(c *cobra.Command, args []string) error { return o.take(args, c.ArgsLenAtDash()) }
	c.RunE = app.Run(func(ctx context.Context, _ []string) error {
		if o.fleet {
			return runFleet(ctx, a, o)
		}
		return run(ctx, a, o)
	})
	c.Flags().BoolVar(&o.all, "all", false, "all projects in your token ledger, not only this one")
	c.Flags().BoolVar(&o.once, "once", false, "print one frame and end")
	c.Flags().BoolVar(&o.noMouse, "no-mouse", false, "leave the mouse to the terminal, for selecting text")
	c.Flags().BoolVar(&o.fleet, "fleet", false, "show a fleet; put flags for warp-fleet after --")
	return c
}

// take parses the arguments: a name and, after --, the flags of warp-fleet.
func (o *options) take(args []string, dash int) error {
	if o.fleet && dash >= 0 {
		args, o.flags = args[:dash], args[dash:]
	}
	switch {
	case len(args) > 1:
		return app.WrongUsage("name one item to begin with; put flags for warp-fleet after --, together with --fleet")
	case o.fleet && o.all:
		return app.WrongUsage("--all selects projects, so it cannot be combined with --fleet")
	case len(args) == 1:
		o.name = args[0]
	}
	return nil
}

func run(ctx context.Context, a *app.App, o options) error {
	list, err := projects(a, o.all)
	if err != nil {
		return err
	}
	feeds, err := list.read()
	if err != nil {
		return err
	}
	if err := known(feeds, o.name); err != nil {
		return err
	}
	shown := watch.Options{Name: o.name, Color: a.Color, Mouse: !o.noMouse, Acts: acts(ctx, a)}
	if o.isOnce(a) {
		width, height := size(a)
		_, err := fmt.Fprintln(a.Out, watch.Frame(shown, feeds, list.ready(ctx, a), width, height))
		return err
	}
	defer list.join()()
	m := watch.New(shown)
	m.Update(watch.Feeds{List: feeds})
	return show(ctx, m, "showing what runs: %w (warp watch --once prints it)", func(ctx context.Context, all *sync.WaitGroup, send func(tea.Msg)) {
		list.follow(ctx, all, func(f watch.Feeds) { send(f) })
		all.Go(func() { list.askReady(ctx, a, func(r watch.Ready) { send(r) }) })
	})
}

// known refuses a name that no item has.
func known(feeds []*feed.Feed, name string) error {
	if name == "" {
		return nil
	}
	for _, f := range feeds {
		if len(f.Find(name)) > 0 {
			return nil
		}
	}
	return app.WrongUsage("nothing here is called %q: warp status shows what there is", render.Printable(name))
}

// isOnce reports whether one frame is printed instead of a screen.
func (o options) isOnce(a *app.App) bool {
	return o.once || !a.Screen || a.Getenv("TERM") == "dumb"
}

// show runs a screen until the user leaves. follow sends it what changes, from goroutines that it
// adds to all. failed is the format of an error.
func show(ctx context.Context, m tea.Model, failed string, follow func(ctx context.Context, all *sync.WaitGroup, send func(tea.Msg))) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFPS(framesPerSecond))
	var all sync.WaitGroup
	follow(ctx, &all, p.Send)
	_, err := p.Run()
	stop()
	all.Wait()
	switch {
	case errors.Is(err, context.Canceled):
		return &app.Silent{Code: app.Interrupt}
	case err != nil:
		return fmt.Errorf(failed, err)
	}
	return nil
}

// size returns the terminal's size; the environment overrides it.
func size(a *app.App) (width, height int) {
	width, height = 100, 40
	if a.Screen {
		width, height = render.Size(os.Stdout)
	}
	_, _ = fmt.Sscan(a.Getenv("COLUMNS"), &width) // keeps the value unless it is a number
	_, _ = fmt.Sscan(a.Getenv("LINES"), &height)
	return min(max(width, 20), 500), min(max(height, 8), 500)
}

func runFleet(ctx context.Context, a *app.App, o options) error {
	p, err := fleetlink.Find(a, o.flags)
	if err != nil {
		return err
	}
	v, err := p.Look(ctx)
	if err != nil {
		return err
	}
	if _, ok := v.Find(o.name); o.name != "" && !ok {
		return app.WrongUsage("the fleet does not know %q: name it as repository#issue, as warp-fleet status does", render.Printable(o.name))
	}
	shown := watch.FleetOptions{Name: o.name, Color: a.Color, Mouse: !o.noMouse, Now: a.Env.Now, Run: func(args ...string) (string, bool) {
		said := p.Run(ctx, args...)
		return said.Text, said.Code == 0
	}}
	if o.isOnce(a) {
		width, height := size(a)
		_, err := fmt.Fprintln(a.Out, watch.FleetFrame(shown, v, width, height))
		return err
	}
	m := watch.NewFleet(shown)
	m.Update(watch.FleetView{View: v})
	return show(ctx, m, "showing the fleet: %w (warp-fleet status prints it)", func(ctx context.Context, all *sync.WaitGroup, send func(tea.Msg)) {
		all.Go(func() {
			p.Follow(ctx, func(v fleetview.View, err error) { send(watch.FleetView{View: v, Err: err}) })
		})
	})
}
