package flow_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// Two fleets in one namespace have nothing in common, whatever their repositories are
// called.
func TestTwoFleetsShareANamespace(t *testing.T) {
	ids := map[string]bool{}
	for _, fleet := range []string{"f", "g"} {
		for _, id := range []string{flow.FleetID(fleet), flow.BudgetID(fleet), flow.TrainID(fleet, "x", "main"), flow.RequirementID(fleet, "x", "1"), flow.FlowQueue(fleet), flow.WorkerQueue(fleet, "one")} {
			if ids[id] {
				t.Errorf("%s is of both", id)
			}
			ids[id] = true
		}
	}
}

// A fleet that has work from before ids had its name goes on with the ids of that work.
func TestAnOldFleetKeepsItsIDs(t *testing.T) {
	w := newWorld()
	var s flow.RequirementStatus
	var train flow.TrainStatus
	state := flow.FleetState{File: file(t, ""), Items: []flow.Item{{Submission: flow.Submission{Repo: "x", Issue: "9"}, State: flow.Parked}}}
	_, all := night(t, w, state, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		w.trouble = func(d *drive, _ flow.Step) error {
			if d.at == 1 {
				d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q"}}
			}
			return nil
		}
		env.RegisterDelayedCallback(func() {
			ask(t, env, "req:x#1", &s)
			ask(t, env, "train:x:", &train)
		}, time.Hour)
	})
	if s.Ask == nil || train.Repo != "x" || all.Scope != "" {
		t.Errorf("%+v %+v", s, train)
	}
}

// What the hours are in the fleet's zone is recorded: a machine with other zone data
// replays what was decided.
func TestQuietHoursAreRecorded(t *testing.T) {
	w := newWorld()
	var quiet flow.FleetStatus
	looked := 0
	_, s := night(t, w, flow.FleetState{File: file(t, "quiet_hours: [\"21:00-01:00\"]\n")}, func(env *testsuite.TestWorkflowEnvironment) {
		env.OnSideEffect().Return(func() any {
			looked++
			if looked == 1 {
				return map[string]time.Time{"Until": evening.Add(5 * time.Hour), "Next": evening.Add(5 * time.Hour)}
			}
			return map[string]time.Time{"Next": evening.Add(50 * time.Hour)}
		})
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		env.RegisterDelayedCallback(func() { ask(t, env, flow.FleetID("f"), &quiet) }, 4*time.Hour)
	})
	if len(quiet.Queue) != 1 || quiet.Queue[0].Reason != "quiet hours until Mon 03:00" || s.Merged != 1 || looked != 2 {
		t.Errorf("%d looks: %+v", looked, quiet)
	}
}
