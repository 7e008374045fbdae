package worker

import (
	"context"
	"fmt"
	"time"

	"warp/internal/fleet/flow"
)

const (
	lookTime  = time.Second // polling interval of a worker that leaves
	mostFails = 5           // failed polls in a row before a worker leaves without asking the fleet
)

// serve says hello to the fleet regularly until the context ends or the fleet has drained the
// worker.
func (w *Worker) serve(ctx, now context.Context) error {
	next := time.Now()
	for {
		if !time.Now().Before(next) {
			next = time.Now().Add(helloTime)
			if err := w.Client.SignalWorkflow(ctx, flow.FleetID(w.Fleet), "", flow.Hello, w.WorkerInfo); err != nil && ctx.Err() == nil {
				w.tell(fmt.Sprintf("fleet %s cannot be reached; this worker keeps trying: %v", w.Fleet, err))
			}
		}
		m, _ := w.readOwnStatus(ctx) // the server may come back
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

// leave asks the fleet to drain this worker and returns when it has no work left. The worker keeps
// serving until then: ending a drive between two steps is a step too.
func (w *Worker) leave(now context.Context) error {
	for fails := 0; now.Err() == nil; {
		m, err := w.readOwnStatus(now)
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
				return nil // the fleet is gone
			}
		}
		select {
		case <-now.Done():
		case <-time.After(lookTime):
		}
	}
	return nil
}

func (w *Worker) askFleet(ctx context.Context) (s flow.FleetStatus, err error) {
	err = flow.Ask(ctx, w.Client, flow.FleetID(w.Fleet), &s)
	return s, err
}

// readOwnStatus returns this worker's status in the fleet. An earlier worker of the same name does
// not count.
func (w *Worker) readOwnStatus(ctx context.Context) (flow.MachineStatus, error) {
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
