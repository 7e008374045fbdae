package people

import (
	"io"

	"warp/internal/cli/app"
	"warp/internal/core/livestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/live"
)

// Output is where loops, pipelines and workflows print: lines and, on a terminal, the current activity
// of their engines below. A question on the terminal holds it. Close removes the redrawn part;
// lines can still be printed.
type Output interface {
	io.Writer
	Hold() (release func())
	Close()
}

// OpenOutput opens the output of a command and returns an app that prints to it. plain means that the
// output is for a program or shared. redrawn reports whether the engines' activity is shown, so
// that lines can omit it.
func OpenOutput(a *app.App, d *turnstile.Drive, plain bool) (shown *app.App, out Output, redrawn bool) {
	changed := *a
	if plain || !a.Redraw {
		out = &gate{out: a.Out}
		changed.Out = out
		return &changed, out, false
	}
	store, me := d.Store(), durable.Process{PID: a.Env.PID}
	me.Stamp, _ = a.Env.Started(me.PID)
	out = live.NewEngines(a.Out, live.Options{Terminal: true, Color: a.Color, Now: a.Env.Now},
		func() []livestate.State { return feed.LiveOf(store, me) })
	changed.Out, changed.Err = out, out // anything printed past it would be overwritten
	return &changed, out, true
}
