package flow_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/fleet/flow"
)

// A machine that died does not get its requirement again while another has nothing to do.
func TestAWorkerThatTakesNoStepGetsNoOther(t *testing.T) {
	w := newWorld()
	w.trouble = func(d *drive, _ flow.Step) error {
		if d.worker == "m1" {
			return notTaken()
		}
		return nil
	}
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, 0, flow.Hello, hello("m1"))
		at(env, time.Second, flow.Submit, submissions("x", 1))
		at(env, 2*time.Second, flow.Hello, hello("m2"))
	})
	if len(s.Done) != 1 || s.Done[0].Attempt != 2 {
		t.Errorf("%+v", s)
	}
	for _, m := range s.Machines {
		if m.Gone != (m.Name == "m1") {
			t.Errorf("%+v", m)
		}
	}
}
