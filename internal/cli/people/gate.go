package people

import (
	"bytes"
	"io"
	"sync"
)

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
