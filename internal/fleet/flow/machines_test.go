package flow_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// What waits is held up by the workers that are there, not by one that has left; and workers
// that left long ago are forgotten.
func TestWorkersThatAreGone(t *testing.T) {
	w := newWorld()
	w.trouble = func(d *drive, _ flow.Step) error {
		if d.at == 1 {
			d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q"}}
		}
		return nil
	}
	seen := func(name string, ago time.Duration) flow.Machine {
		return flow.Machine{WorkerInfo: hello(name), Seen: evening.Add(-ago * time.Hour)}
	}
	_, s := night(t, w, flow.FleetState{File: file(t, ""), Machines: []flow.Machine{seen("ages", 1001), seen("before", 999)}}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, 0, flow.Drain, flow.Drained{Worker: "before"})
		at(env, time.Second, flow.Hello, hello("now"))
		at(env, time.Hour, flow.Submit, submissions("x", 5))
	})
	if len(s.Queue) != 1 || s.Queue[0].Reason != "worker now: its slots are in use" {
		t.Errorf("%+v", s.Queue)
	}
	if len(s.Machines) != 2 || s.Machines[0].Name != "before" || s.Machines[1].Name != "now" {
		t.Errorf("%+v", s.Machines)
	}
}
