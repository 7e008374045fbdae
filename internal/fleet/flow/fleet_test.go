package flow_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/fleet/flow"
)

func TestANight(t *testing.T) {
	w := newWorld()
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Second, flow.Hello, hello("two"))
		at(env, time.Minute, flow.Submit, append(submissions("x", 5), submissions("y", 5)...))
	})
	if s.Merged != 10 || len(s.Done) != 10 || len(s.Running)+len(s.Queue)+len(s.Parked) != 0 {
		t.Errorf("%+v", s)
	}
}
