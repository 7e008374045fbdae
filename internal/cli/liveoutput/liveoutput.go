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

// Open opens the output of a command. Plain: it is for a program, or shared with others.
// Redrawn tells whether what engines do is shown, so that lines need not say it.
func Open(a *app.App, d *turnstile.Drive, plain bool) (out Output, redrawn bool) {
	if plain || !a.Redraw {
		return gate{&people.Gate{Out: a.Out}}, false
	}
	store, me := d.Store(), durable.Process{PID: a.Env.PID}
	me.Stamp, _ = a.Env.Started(me.PID)
	return live.NewEngines(a.Out, live.Options{Terminal: true, Color: a.Color, Now: a.Env.Now, Size: func() (int, int) { return live.Size(os.Stdout) }},
		func() []livestate.State { return feed.LiveOf(store, me) }), true
}

type gate struct{ *people.Gate }

func (gate) Close() {}
