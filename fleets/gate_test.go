//go:build unix

package fleets

import (
	"io"
	"net"
	"sync"
	"testing"
)

// gate stands between the workers and the server. A closed one lets nothing through and
// says nothing: as a cable that was pulled.
type gate struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	open     *sync.Cond
	closed   bool
	done     bool
}

func openGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: l, to: to}
	g.open = sync.NewCond(&g.mu)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go g.serve(c)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		g.mu.Lock()
		g.done = true
		g.mu.Unlock()
		g.open.Broadcast()
	})
	return g
}

func (g *gate) address() string { return g.listener.Addr().String() }

func (g *gate) serve(from net.Conn) {
	defer from.Close()
	to, err := net.Dial("tcp", g.to)
	if err != nil {
		return
	}
	defer to.Close()
	var both sync.WaitGroup
	both.Go(func() { g.copy(to, from) })
	both.Go(func() { g.copy(from, to) })
	both.Wait()
}

// copy passes bytes on as long as the gate is open.
func (g *gate) copy(to, from net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !g.wait() {
			return
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if err != io.EOF {
				return
			}
			return
		}
	}
}

func (g *gate) wait() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.closed && !g.done {
		g.open.Wait()
	}
	return !g.done
}

func (g *gate) set(closed bool) {
	g.mu.Lock()
	g.closed = closed
	g.mu.Unlock()
	g.open.Broadcast()
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
