package quality

import (
	"context"
	"errors"

	"warp/internal/durable"
	"warp/internal/engine/policy/session"
)

// killed is how a process dies: nothing is closed.
type killed struct{ point string }

// process runs one iteration in a process of its own, which dies where it is
// told to; the point's name, or "" when it lived.
func (p *place) process(pid int, it session.Iteration) (out session.Outcome, at string) {
	p.t.Helper()
	o := p.o
	o.Process.PID = pid
	o.Passed = func(point string) {
		if p.points = append(p.points, point); p.die != nil && p.die(len(p.points)) {
			panic(killed{point})
		}
	}
	b, err := New(p.t.Context(), o, p.stage())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = b.Close() }) // a dead process gives no signs of life
	defer func() {
		switch k := recover().(type) {
		case nil:
		case killed:
			at = k.point
		default:
			panic(k)
		}
	}()
	if out, err = b.Iterate(context.Background(), it); err != nil {
		p.t.Fatal(err)
	}
	return out, ""
}

func isLocked(err error) bool {
	var l *durable.LockedError
	return errors.As(err, &l)
}
