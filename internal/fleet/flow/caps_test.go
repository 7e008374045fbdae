package flow_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

const anything = "mock.Anything" // as the environment calls it

// alone runs a requirement without its fleet: signals are noted and arrive.
func alone(t *testing.T, w *world, r flow.Requirement, happens func(*testsuite.TestWorkflowEnvironment)) (*testsuite.TestWorkflowEnvironment, []string) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(evening)
	env.SetTestTimeout(time.Minute)
	flow.Register(env)
	env.RegisterActivityWithOptions(w.beginWork, activity.RegisterOptions{Name: flow.BeginWork})
	env.RegisterActivityWithOptions(w.takeStep, activity.RegisterOptions{Name: flow.TakeStep})
	env.RegisterActivityWithOptions(w.leaveWork, activity.RegisterOptions{Name: flow.LeaveWork})
	var mu sync.Mutex
	var sent []string
	env.OnSignalExternalWorkflow(anything, anything, anything, anything, anything).Return(func(_, id, _, signal string, _ any) error {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, signal+" "+id)
		return nil
	})
	r.Worker, r.Scope, r.Work.Fleet, r.Work.Issue, r.Work.Attempt, r.Work.Repository = "one", "f", "f", "1", 1, file(t, "").Repositories[0]
	happens(env)
	env.ExecuteWorkflow(flow.RequirementFlow, r)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(sent)
	return env, sent
}

// spend has each step with an agent cost something, whatever it may spend.
func spend(w *world, micro int64) func(*drive, flow.Step) error {
	return func(d *drive, _ flow.Step) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if d.stands().Agent {
			d.spent.MicroUSD += micro
			w.spent += micro
		}
		return nil
	}
}

func TestWithoutCapsTheBudgetIsNotAsked(t *testing.T) {
	w := newWorld()
	w.trouble = spend(w, 7)
	env, sent := alone(t, w, flow.Requirement{NoCaps: true}, func(env *testsuite.TestWorkflowEnvironment) {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(flow.Turn, flow.Boarding{Train: flow.TrainID("f", "x", ""), Serial: 1_000_004})
		}, time.Hour)
	})
	want := []string{"board train:f/x:", "ended fleet:f", "leave train:f/x:", "rest fleet:f", "settle purse:f", "settle purse:f"}
	if err := env.GetWorkflowError(); err != nil || !slices.Equal(sent, want) {
		t.Errorf("%v: %q", err, sent)
	}
}

// What is spent is counted, whether or not it is capped.
func TestSpentMoneyIsCountedWithoutCaps(t *testing.T) {
	w := newWorld()
	w.trouble = spend(w, 7)
	var budget flow.BudgetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, append(submissions("x", 2), submissions("y", 1)...))
		env.RegisterDelayedCallback(func() { ask(t, env, flow.BudgetID("f"), &budget) }, 23*time.Hour)
	})
	if s.Merged != 3 || w.spent != 42 || budget.Settled != 42 || budget.Over != 0 || budget.Repos["x"] != 28 || budget.Days["2026-03-01"] != 42 {
		t.Errorf("%d are spent: %+v", w.spent, budget)
	}
	if got := s.Done[0].Spent.MicroUSD; got != 14 {
		t.Errorf("the fleet knows of %d", got)
	}
}

// Caps that come or go bind requirements that are under way.
func TestCapsComeAndGo(t *testing.T) {
	w := newWorld()
	allowed := map[string][]int64{}
	w.trouble = func(d *drive, s flow.Step) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !d.stands().Agent {
			return nil
		}
		if d.at == 1 && len(allowed[d.id]) < 3 { // until the next change of the file
			d.next = &flow.Stepped{Phase: "coding", Agent: true, Ask: &conduct.Ask{ID: "q" + s.Work.Issue, Minutes: 60}}
		}
		allowed[d.id] = append(allowed[d.id], s.MicroUSD)
		return nil
	}
	capped := file(t, "caps: {day: 100}\n")
	_, s := night(t, w, flow.FleetState{File: file(t, "")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 1))
		at(env, 30*time.Minute, flow.Configure, capped)
		at(env, 90*time.Minute, flow.Configure, file(t, ""))
	})
	if got := allowed["x#1"]; s.Merged != 1 || !slices.Equal(got, []int64{0, 0, 2e6, 0}) {
		t.Errorf("allowed: %v, %+v", got, s)
	}
}

// A cap that is smaller than what a step asks for lets steps begin all the same, with
// what it has left.
func TestASmallCapIsUsed(t *testing.T) {
	w := newWorld()
	w.cap = 1e6
	var budget flow.BudgetStatus
	_, s := night(t, w, flow.FleetState{File: file(t, "caps: {per_repository: 1}\n")}, func(env *testsuite.TestWorkflowEnvironment) {
		at(env, time.Second, flow.Hello, hello("one"))
		at(env, time.Minute, flow.Submit, submissions("x", 3))
		env.RegisterDelayedCallback(func() { ask(t, env, flow.BudgetID("f"), &budget) }, 23*time.Hour)
	})
	if s.Merged != 1 || len(s.Parked) != 2 || s.Parked[0].Why != "the cap of x leaves too little: $0.12 of $1.00" {
		t.Errorf("%+v", s)
	}
	if budget.Settled != 875_000 || budget.Settled != w.spent || budget.Reserved != 0 || len(budget.Holders) > 0 {
		t.Errorf("%+v", budget)
	}
}
