package flow_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

func TestPauseAndStop(t *testing.T) {
	w := newWorld()
	var paused, stopped flow.FleetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Pause, flow.Order{By: "ann"})
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 3))
		at(env, time.Minute, flow.Pause, flow.Order{Requirement: "x#1"})
		at(env, time.Minute, flow.Stop, flow.Order{Requirement: "x#3", By: "ben"})
		env.RegisterDelayedCallback(func() { ask(t, env, flow.FleetID("f"), &paused) }, 2*time.Hour)
		at(env, 3*time.Hour, flow.Unpause, flow.Order{})
		env.RegisterDelayedCallback(func() { ask(t, env, flow.FleetID("f"), &stopped) }, 4*time.Hour)
		at(env, 5*time.Hour, flow.Unpause, flow.Order{Requirement: "x#1"})
		at(env, 6*time.Hour, flow.Submit, submissions("x", 3)) // a stopped one again; merged ones are left alone
	})
	reasons := map[string]string{}
	for _, q := range paused.Queue {
		reasons[q.ID()] = q.Reason
	}
	if len(paused.Running) > 0 || reasons["x#1"] != "it is paused" || reasons["x#2"] != "ann paused the fleet" || len(paused.Parked) != 1 || paused.Parked[0].Why != "ben stopped it" {
		t.Errorf("%v %+v", reasons, paused)
	}
	if stopped.Merged != 1 || len(stopped.Queue) != 1 {
		t.Errorf("%+v", stopped)
	}
	if s.Merged != 3 || len(s.Done) != 3 {
		t.Errorf("%+v", s)
	}
}

// What a person stopped stays parked until a person submits it, however many nights begin.
func TestAScheduledNightLeavesAloneWhatAPersonStopped(t *testing.T) {
	w := newWorld()
	scheduled := submissions("x", 2)
	for n := range scheduled {
		scheduled[n].Scheduled = true
	}
	var second flow.FleetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Submit, scheduled)
		at(env, time.Minute, flow.Stop, flow.Order{Requirement: "x#1", By: "ben"})
		at(env, time.Hour, flow.Hello, hello("one"))
		at(env, 2*time.Hour, flow.Submit, scheduled)
		env.RegisterDelayedCallback(func() { ask(t, env, flow.FleetID("f"), &second) }, 5*time.Hour)
		at(env, 6*time.Hour, flow.Submit, submissions("x", 1))
		at(env, 6*time.Hour, flow.Hello, hello("one"))
	})
	if second.Merged != 1 || len(second.Parked) != 1 || second.Parked[0].Why != "ben stopped it" {
		t.Errorf("%+v", second)
	}
	if s.Merged != 2 {
		t.Errorf("%+v", s)
	}
}

// A schedule submits for no person.
func TestANightThatBeginsByItself(t *testing.T) {
	for name, want := range map[string]bool{"": true, "2026-11-18": false} {
		env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
		flow.Register(env)
		env.RegisterActivityWithOptions(func(_ context.Context, q flow.NightRequest) (plan flow.NightPlan, err error) {
			plan.Add(q, submissions("x", 1), nil, true)
			return plan, nil
		}, activity.RegisterOptions{Name: flow.PlanNight})
		env.ExecuteWorkflow(flow.NightFlow, flow.NightRequest{Fleet: "f", Night: name})
		var plan flow.NightPlan
		if err := env.GetWorkflowResult(&plan); err != nil || len(plan.Submitted) != 1 || plan.Submitted[0].Scheduled != want {
			t.Errorf("%q: %+v, %v", name, plan, err)
		}
	}
}

// A running one is stopped by telling its drive to park itself.
func TestStopARunningOne(t *testing.T) {
	w := newWorld()
	w.trouble = func(d *drive, _ flow.Step) error {
		if d.at == 1 {
			d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q"}}
		}
		return nil
	}
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		at(env, time.Hour, flow.Stop, flow.Order{Requirement: "x#1", By: "ann"})
	})
	if len(s.Parked) != 1 || s.Parked[0].Why != "ann stopped it" || w.drives["x#1"].denied != "ann stopped it" {
		t.Errorf("%+v", s)
	}
}
