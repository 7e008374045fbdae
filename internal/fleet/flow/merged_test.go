package flow_test

import (
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// A merge may have happened without the train's turn: its worker died before it could say
// so, or a person merged by hand. It counts once, and those that wait for the train go on.
func TestAMergeWithoutTheTurn(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(*drive) error
		attempt int
	}{
		"its worker died after the merge": {func(d *drive) error {
			if d.at != 3 {
				return nil
			}
			d.at = len(phases)
			return lostWorker()
		}, 2},
		"a person merged it": {func(d *drive) error {
			if d.at == 2 {
				d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "merged", Commit: "by hand"}}
			}
			return nil
		}, 1},
		"it waited for its turn": {func(d *drive) error {
			if d.at == 3 {
				d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "merged", Commit: "by hand"}}
			}
			return nil
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.trouble = func(d *drive, _ flow.Step) error {
				if d.id == "x#1" {
					return c.happens(d)
				}
				return nil
			}
			var train flow.TrainStatus
			_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
				at(env, time.Second, flow.Hello, hello("one"))
				at(env, time.Second, flow.Hello, hello("two"))
				at(env, time.Minute, flow.Submit, append(submissions("x", 3), flow.Submission{Repo: "y", Issue: "1", Needs: []string{"x#1"}}))
				env.RegisterDelayedCallback(func() { ask(t, env, flow.TrainID("f", "x", ""), &train) }, 23*time.Hour)
			})
			if s.Merged != 4 || len(s.Done) != 4 || len(s.Parked)+len(s.Running)+len(s.Queue) > 0 {
				t.Errorf("%+v", s)
			}
			if len(train.Line) > 0 || train.Holder != "" {
				t.Errorf("the train: %+v", train)
			}
			for _, i := range s.Done {
				if i.ID() == "x#1" && i.Attempt != c.attempt {
					t.Errorf("%+v", i)
				}
			}
		})
	}
}
