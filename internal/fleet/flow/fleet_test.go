package flow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
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

// What goes wrong with one requirement, and what comes of it.
func TestTrouble(t *testing.T) {
	once := func(phase int, do func(*drive) error) func(*drive, flow.Step) error {
		done := false
		return func(d *drive, _ flow.Step) error {
			if done || d.at != phase {
				return nil
			}
			done = true
			return do(d)
		}
	}
	always := func(err error) func(*drive, flow.Step) error {
		return func(*drive, flow.Step) error { return err }
	}
	for name, c := range map[string]struct {
		trouble func(*drive, flow.Step) error
		result  string
		why     string
		attempt int
	}{
		"nothing":                   {nil, "merged", "", 1},
		"its worker is lost":        {once(1, func(*drive) error { return lostWorker() }), "merged", "", 2},
		"lost while merging":        {once(3, func(*drive) error { return lostWorker() }), "merged", "", 2},
		"no worker took it":         {once(1, func(*drive) error { return notTaken() }), "merged", "", 2},
		"the worker goes":           {once(2, func(*drive) error { return broken(flow.WorkerLost) }), "merged", "", 2},
		"the drive breaks once":     {once(2, func(*drive) error { return broken(flow.StepBroken) }), "merged", "", 2},
		"the drive breaks always":   {always(broken(flow.StepBroken)), "needs_person", "step-broken it is", 3},
		"the drive refuses":         {always(broken(flow.StepRefused)), "needs_person", "step-refused it is", 3},
		"workers are lost for ever": {always(lostWorker()), "needs_person", "worker one was lost", 20},
		"the account is limited": {once(1, func(d *drive) error {
			d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "budget", Limited: &conduct.Limit{}}}
			return nil
		}), "merged", "", 2},
		"merging fails": {once(3, func(d *drive) error {
			d.at, d.next = 1, &phases[1]
			return nil
		}), "merged", "", 1},
		"the drive fails": {once(2, func(d *drive) error {
			d.next = &flow.Stepped{Outcome: &conduct.Outcome{Result: "failed", Why: "red"}}
			return nil
		}), "failed", "red", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.trouble = c.trouble
			_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
				at(env, time.Second, flow.Hello, hello("one"))
				at(env, time.Minute, flow.Submit, submissions("x", 1))
				env.RegisterDelayedCallback(func() {
					var train flow.TrainStatus
					if ask(t, env, flow.TrainID("f", "x", ""), &train); len(train.Line) > 0 {
						t.Errorf("the train: %+v", train)
					}
					var budget flow.BudgetStatus
					if ask(t, env, flow.BudgetID("f"), &budget); len(budget.Holders) > 0 || budget.Reserved != 0 || budget.Settled != w.spent {
						t.Errorf("%d are spent: %+v", w.spent, budget)
					}
				}, 23*time.Hour)
			})
			items := append(s.Done, s.Parked...)
			if len(items) != 1 || len(s.Running)+len(s.Queue) > 0 {
				t.Fatalf("%+v", s)
			}
			if i := items[0]; i.Outcome.Result != c.result || i.Outcome.Why != c.why || i.Attempt != c.attempt || (i.State == flow.Done) != (c.result == "merged") {
				t.Errorf("%+v %+v", i, i.Outcome)
			}
		})
	}
}

// What a step has spent counts, also where it broke and the next worker does not know of it.
func TestWhatBrokeIsPaid(t *testing.T) {
	w := newWorld()
	broke := false
	w.trouble = func(d *drive, _ flow.Step) error {
		if broke || d.at != 1 {
			return nil
		}
		broke = true
		w.spent += 7
		spent := d.spent
		spent.MicroUSD += 7
		return temporal.NewNonRetryableApplicationError("it broke", flow.StepBroken, nil, spent)
	}
	var budget flow.BudgetStatus
	night(t, w, flow.FleetState{File: file(t, "caps: {night: 50}\n")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		env.RegisterDelayedCallback(func() { ask(t, env, flow.BudgetID("f"), &budget) }, 23*time.Hour)
	})
	if !broke || budget.Settled != w.spent {
		t.Errorf("%d are spent: %+v", w.spent, budget)
	}
}

// The next attempt waits until the worker that was lost has surely ended its agent.
func TestTheNextAttemptWaits(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want time.Duration
	}{"lost": {lostWorker(), 40 * time.Second}, "never taken": {notTaken(), 0}} {
		w := newWorld()
		var lost, again time.Time
		night(t, w, flow.FleetState{File: file(t, ""), Terms: flow.Terms{Grace: 40 * time.Second}}, func(env *testsuite.TestWorkflowEnvironment) {
			at(env, time.Second, flow.Hello, hello("one"))
			at(env, 2*time.Second, flow.Hello, hello("two"))
			at(env, time.Minute, flow.Submit, submissions("x", 1))
			w.trouble = func(d *drive, s flow.Step) error {
				switch {
				case s.Work.Attempt == 2 && again.IsZero():
					again = env.Now()
				case s.Work.Attempt == 1:
					lost = env.Now()
					return c.err
				}
				return nil
			}
		})
		if got := again.Sub(lost).Round(time.Second); got != c.want {
			t.Errorf("%s: it waited %s", name, got)
		}
	}
}

func TestAQuestionIsAnswered(t *testing.T) {
	for name, c := range map[string]struct {
		answers []flow.Answer // an hour after the question
		minutes int
		want    string
		notes   int
	}{
		"in time":        {[]flow.Answer{{Question: "q", Text: "yes"}}, 90, "q=yes", 0},
		"no bound":       {[]flow.Answer{{Question: "q", Text: "yes"}}, 0, "q=yes", 0},
		"late":           {[]flow.Answer{{Question: "q", Text: "yes"}}, 30, "q=", 1},
		"never":          {nil, 30, "q=", 0},
		"another's":      {[]flow.Answer{{Question: "z", Text: "yes"}}, 90, "q=", 1},
		"another's, own": {[]flow.Answer{{Question: "z"}, {Question: "q", Text: "no"}}, 90, "q=no", 1},
		"twice":          {[]flow.Answer{{Question: "q", Text: "yes"}, {Question: "q", Text: "no"}}, 90, "q=yes", 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			asked := false
			w.trouble = func(d *drive, _ flow.Step) error {
				if d.at == 1 && !asked {
					asked = true
					d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q", Minutes: c.minutes}}
				}
				if d.at == 2 { // until the end of the night
					d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "end"}}
				}
				return nil
			}
			var s flow.RequirementStatus
			night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
				at(env, time.Second, flow.Hello, hello("one"))
				at(env, time.Minute, flow.Submit, submissions("x", 1))
				env.RegisterDelayedCallback(func() {
					for _, a := range c.answers {
						_ = env.SignalWorkflowByID(flow.RequirementID("f", "x", "1"), flow.Reply, a)
					}
				}, time.Hour)
				env.RegisterDelayedCallback(func() { ask(t, env, flow.RequirementID("f", "x", "1"), &s) }, 4*time.Hour)
			})
			if got := strings.Join(w.drives["x#1"].answered, " "); got != c.want || len(s.Notes) != c.notes || s.Ask == nil || s.Ask.ID != "end" || s.Doing != "waits for an answer" {
				t.Errorf("%q %+v", got, s)
			}
		})
	}
}

func TestADrainedWorkerIsLeft(t *testing.T) {
	w := newWorld()
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		w.trouble = func(d *drive, _ flow.Step) error {
			if d.at == 1 && d.attempt == 1 {
				d.next = &flow.Stepped{Ask: &conduct.Ask{ID: "q"}}
			}
			return nil
		}
		at(env, time.Hour, flow.Drain, flow.Drained{Worker: "one"})
		at(env, 2*time.Hour, flow.Hello, hello("two"))
	})
	if s.Merged != 1 || w.drives["x#1"].worker != "two" || !strings.Contains(strings.Join(w.log, "; "), "leave-work on one; x#1 begin-work on two") {
		t.Errorf("%q %+v", w.log, s)
	}
	if m := s.Machines[0]; m.Name != "one" || !m.Draining || m.Hold != "it is drained" {
		t.Errorf("%+v", m)
	}
}

func TestCapsParkWhatTheyDoNotAllow(t *testing.T) {
	w := newWorld()
	w.cap = 10e6
	var budget flow.BudgetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "caps: {night: 10}\n")}, func(env *testsuite.TestWorkflowEnvironment) {
		for n := range 5 {
			at(env, time.Second, flow.Hello, hello(fmt.Sprint("w", n)))
		}
		at(env, time.Minute, flow.Submit, submissions("y", 10))
		env.RegisterDelayedCallback(func() { ask(t, env, flow.BudgetID("f"), &budget) }, 10*time.Hour)
		env.RegisterDelayedCallback(func() { w.cap = 0 }, 11*time.Hour)
		at(env, 12*time.Hour, flow.NewNight, "second")
		at(env, 13*time.Hour, flow.Submit, submissions("y", 10))
	})
	if budget.Settled != 9_875_000 || budget.Reserved != 0 || budget.Over != 0 || len(budget.Holders) > 0 {
		t.Errorf("%+v", budget)
	}
	if s.Night != "second" || s.Merged < 8 || len(s.Running)+len(s.Queue) > 0 {
		t.Errorf("%+v", s)
	}
}

func TestQuietHoursAndNeeds(t *testing.T) {
	w := newWorld()
	var quiet flow.FleetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "quiet_hours: [\"21:00-01:00\"]\n")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, []flow.Submission{{Repo: "x", Issue: "1", Needs: []string{"y#1", "y#2"}}, {Repo: "y", Issue: "1"}, {Repo: "y", Issue: "2", Closed: true}})
		env.RegisterDelayedCallback(func() { ask(t, env, flow.FleetID("f"), &quiet) }, 2*time.Hour)
	})
	if len(quiet.Queue) != 2 || quiet.Queue[0].Reason != "quiet hours until Mon 01:00" || quiet.Queue[1].Reason != "waits for y#1" {
		t.Errorf("%+v", quiet)
	}
	if s.Merged != 2 || !strings.HasPrefix(w.log[0], "y#1") {
		t.Errorf("%q %+v", w.log, s)
	}
}
