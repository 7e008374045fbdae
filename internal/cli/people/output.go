package people

import (
	"bytes"
	"io"
	"sync"

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

// gate is an output that is held back while a question is on the terminal: it buffers lines
// until then, and no writer waits for a person.
type gate struct {
	out  io.Writer
	mu   sync.Mutex
	held bool
	late bytes.Buffer
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held {
		return g.late.Write(p)
	}
	return g.out.Write(p)
}

// Hold leaves the output to a question until release is called.
func (g *gate) Hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = true
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held = false
		_, _ = g.late.WriteTo(g.out) // the next writer gets the same error
	}
}

// Close does nothing: nothing is redrawn.
func (g *gate) Close() {}
