package worker

import (
	"context"
	"fmt"
	"time"

	"warp/internal/fleet/flow"
)

const (
	lookTime  = time.Second // between two looks of a worker that leaves
	mostFails = 5           // of looks in a row, before a worker leaves without the fleet's word
)

// serve tells the fleet again and again that this worker is there, until the context is
// over or the fleet has drained it.
func (w *Worker) serve(ctx, now context.Context) error {
	next := time.Now()
	for {
		if !time.Now().Before(next) {
			next = time.Now().Add(helloTime)
			if err := w.Client.SignalWorkflow(ctx, flow.FleetID(w.Fleet), "", flow.Hello, w.WorkerInfo); err != nil && ctx.Err() == nil {
				w.tell(fmt.Sprintf("fleet %s does not hear this worker, which goes on trying: %v", w.Fleet, err))
			}
		}
		m, _ := w.standing(ctx) // a server that is away may come back
		if m.Draining && m.Used+m.Resting == 0 {
			return nil
		}
		pause := time.Until(next)
		if m.Draining {
			pause = lookTime
		}
		select {
		case <-ctx.Done():
			return w.leave(now)
		case <-time.After(pause):
		}
	}
}

// leave has the fleet take everything away from this worker, and returns when nothing is
// left. The worker serves on until then: ending a drive between two steps is a step too.
func (w *Worker) leave(now context.Context) error {
	for fails := 0; now.Err() == nil; {
		m, err := w.standing(now)
		if err == nil {
			fails = 0
		} else if fails++; fails >= mostFails {
			return nil // without the server every step has been given up by now
		}
		if err == nil && m.Name == "" || m.Draining && m.Used+m.Resting == 0 {
			return nil // a worker that the fleet has forgotten has nothing, either
		}
		if !m.Draining {
			if err := w.Client.SignalWorkflow(now, flow.FleetID(w.Fleet), "", flow.Drain, flow.Drained{Worker: w.Name}); isGone(err) {
				return nil // there is no fleet any more
			}
		}
		select {
		case <-now.Done():
		case <-time.After(lookTime):
		}
	}
	return nil
}

// askFleet asks the fleet for everything it knows.
func (w *Worker) askFleet(ctx context.Context) (s flow.FleetStatus, err error) {
	v, err := w.Client.QueryWorkflow(ctx, flow.FleetID(w.Fleet), "", flow.Status)
	if err != nil {
		return s, err
	}
	return s, v.Get(&s)
}

// standing is what the fleet says of this worker; one of its name that ran before is
// another.
func (w *Worker) standing(ctx context.Context) (flow.MachineStatus, error) {
	s, err := w.askFleet(ctx)
	if err != nil {
		return flow.MachineStatus{}, err
	}
	for _, m := range s.Machines {
		if m.Name == w.Name && m.Since.Equal(w.Since) {
			return m, nil
		}
	}
	return flow.MachineStatus{}, nil
}
