package flow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// Whatever happens: a requirement has one activity at a time, a repository one merge,
// steps may not spend more than the cap (the world watches these three), and everything
// that was submitted is merged or parked in the end.
func TestWhateverHappens(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 21))
			w := newWorld()
			w.cap = int64(20+random.IntN(60)) * 1e6
			troubles := []func(*drive) error{
				func(*drive) error { return lostWorker() },
				func(*drive) error { return notTaken() },
				func(*drive) error { return broken(flow.WorkerLost) },
				func(*drive) error { return broken(flow.StepBroken) },
				func(d *drive) error {
					d.at, d.next = 1, &phases[1]
					return nil
				},
				func(d *drive) error {
					d.next = &flow.Stepped{Ask: &conduct.Ask{ID: fmt.Sprint("q", random.IntN(3)), Minutes: 1 + random.IntN(60)}}
					return nil
				},
				func(d *drive) error {
					d.next = &flow.Stepped{Outcome: &conduct.Outcome{Limited: &conduct.Limit{}}}
					return nil
				},
				func(d *drive) error {
					d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "failed", Why: "red"}}
					return nil
				},
			}
			w.trouble = func(d *drive, _ flow.Step) error {
				w.mu.Lock()
				defer w.mu.Unlock()
				if random.Float64() > 0.25 {
					return nil
				}
				return troubles[random.IntN(len(troubles))](d)
			}
			_, s := night(t, w, flow.FleetState{File: file(t, fmt.Sprintf("caps: {night: %d}\n", w.cap/1e6))}, func(env *testsuite.TestWorkflowEnvironment) {
				for _, name := range []string{"one", "two", "three"} {
					at(env, time.Duration(random.IntN(60))*time.Minute, flow.Hello, hello(name))
				}
				at(env, time.Minute, flow.Submit, append(submissions("x", 6), submissions("y", 6)...))
				at(env, time.Hour, flow.Submit, submissions("x", 6)) // once more
				for range 10 {
					orders(env, random)
				}
				env.RegisterDelayedCallback(func() { settled(t, env, w) }, 23*time.Hour)
			})
			if len(s.Done)+len(s.Parked) != 12 || s.Merged != len(s.Done) {
				t.Errorf("%d are merged, %d parked; running: %+v; queue: %+v", len(s.Done), len(s.Parked), s.Running, s.Queue)
			}
			for _, i := range s.Parked {
				if i.Why == "" {
					t.Errorf("%s is parked and does not say why: %+v", i.ID(), i)
				}
			}
		})
	}
}

// orders has a person interfere: with one requirement, or with a worker.
func orders(env *testsuite.TestWorkflowEnvironment, random *rand.Rand) {
	when := time.Duration(1+random.IntN(600)) * time.Minute
	id := fmt.Sprintf("x#%d", 1+random.IntN(6))
	worker := []string{"one", "two", "three"}[random.IntN(3)]
	switch random.IntN(4) {
	case 0:
		at(env, when, flow.Pause, flow.Order{Requirement: id})
		at(env, when+time.Hour, flow.Unpause, flow.Order{Requirement: id})
	case 1:
		at(env, when, flow.Drain, flow.Drained{Worker: worker})
		at(env, when+time.Hour, flow.Drain, flow.Drained{Worker: worker, Back: true})
	case 2:
		at(env, when, flow.Stop, flow.Order{Requirement: id, By: "ann"})
	case 3:
		env.RegisterDelayedCallback(func() {
			_ = env.SignalWorkflowByID(flow.RequirementID("f", "x", id[2:]), flow.Reply, flow.Answer{Question: "q1", Text: "yes"})
		}, when)
	}
}

// settled looks at the trains and the budget when all is over.
func settled(t *testing.T, env *testsuite.TestWorkflowEnvironment, w *world) {
	for _, repo := range []string{"x", "y"} {
		var train flow.TrainStatus
		if ask(t, env, flow.TrainID("f", repo, ""), &train); len(train.Line) > 0 {
			t.Errorf("the train of %s: %+v", repo, train)
		}
	}
	var budget flow.BudgetStatus
	if ask(t, env, flow.BudgetID("f"), &budget); budget.Reserved != 0 || len(budget.Holders) > 0 || budget.Settled != w.spent || budget.Over != 0 {
		t.Errorf("%d are spent: %+v", w.spent, budget)
	}
}
