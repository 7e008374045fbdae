// Package liveoutput is where loops, pipelines and workflows print: lines and, on a
// terminal, what their engines do at this moment, redrawn below them.
package liveoutput

import (
	"io"
	"os"

	"warp/internal/cli/app"
	"warp/internal/cli/people"
	"warp/internal/core/livestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/live"
)

// Output is where lines go. A question on the terminal holds it; Close takes away what is
// redrawn, and lines go on being printed.
type Output interface {
	io.Writer
	Hold() (release func())
	Close()
}

// Open opens the output of a command, and returns the command's app as it prints there.
// Plain: it is for a program, or shared with others. Redrawn tells whether what engines do
// is shown, so that lines need not say it.
func Open(a *app.App, d *turnstile.Drive, plain bool) (shown *app.App, out Output, redrawn bool) {
	changed := *a
	if plain || !a.Redraw {
		out = gate{&people.Gate{Out: a.Out}}
		changed.Out = out
		return &changed, out, false
	}
	store, me := d.Store(), durable.Process{PID: a.Env.PID}
	me.Stamp, _ = a.Env.Started(me.PID)
	out = live.NewEngines(a.Out, live.Options{Terminal: true, Color: a.Color, Now: a.Env.Now, Size: func() (int, int) { return live.Size(os.Stdout) }},
		func() []livestate.State { return feed.LiveOf(store, me) })
	changed.Out, changed.Err = out, out // what is printed past it would be drawn over
	return &changed, out, true
}

type gate struct{ *people.Gate }

func (gate) Close() {}
