package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// The evidence of a drive can be asked for after its end, wherever it ran.
func TestEvidenceOutlivesTheRequirement(t *testing.T) {
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	flow.Register(env)
	want := `{"issue":"7","criteria":[]}`
	env.RegisterActivityWithOptions(func(context.Context, flow.Work) (flow.Stepped, error) {
		return flow.Stepped{Outcome: &conduct.Outcome{Result: "merged", Commit: "abc"}, Evidence: json.RawMessage(want)}, nil
	}, activity.RegisterOptions{Name: flow.BeginWork})
	const any = "mock.Anything" // as the environment calls it
	env.OnSignalExternalWorkflow(any, any, any, any, any).Return(errors.New("there is no fleet"))
	w := flow.Requirement{Worker: "m1", Work: flow.Work{Fleet: "f", Issue: "7", Repository: file(t, "").Repositories[0]}}
	env.ExecuteWorkflow(flow.RequirementFlow, w)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	v, err := env.QueryWorkflow(flow.Status)
	if err != nil {
		t.Fatal(err)
	}
	var s flow.RequirementStatus
	if err := v.Get(&s); err != nil || string(s.Evidence) != want || s.Outcome == nil || s.Outcome.Commit != "abc" {
		t.Errorf("%v: %s, %+v", err, s.Evidence, s.Outcome)
	}
}

// What is known of a requirement stays known when its worker is lost, and when it is parked
// without a word of its drive.
func TestEvidenceOutlivesTheWorker(t *testing.T) {
	env := (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment()
	flow.Register(env)
	want := `{"issue":"7","criteria":[]}`
	env.RegisterActivityWithOptions(func(context.Context, flow.Work) (flow.Stepped, error) {
		return flow.Stepped{Phase: "testing", Spent: conduct.Spent{MicroUSD: 5}, Evidence: json.RawMessage(want)}, nil
	}, activity.RegisterOptions{Name: flow.BeginWork})
	env.RegisterActivityWithOptions(func(_ context.Context, s flow.Step) (flow.Stepped, error) {
		if s.Serial == 1 {
			return flow.Stepped{Phase: "testing", Spent: conduct.Spent{MicroUSD: 9}}, nil
		}
		return flow.Stepped{}, temporal.NewNonRetryableApplicationError("it broke", flow.StepBroken, nil)
	}, activity.RegisterOptions{Name: flow.TakeStep})
	const any = "mock.Anything" // as the environment calls it
	env.OnSignalExternalWorkflow(any, any, any, any, any).Return(errors.New("there is no fleet"))
	w := flow.Requirement{Worker: "m1", Work: flow.Work{Fleet: "f", Issue: "7", Repository: file(t, "").Repositories[0]}}
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(flow.Stop, flow.Order{By: "ada"}) }, time.Hour) // it waits for another worker
	env.ExecuteWorkflow(flow.RequirementFlow, w)
	v, err := env.QueryWorkflow(flow.Status)
	if err != nil {
		t.Fatal(err)
	}
	var s flow.RequirementStatus
	if err := v.Get(&s); err != nil || string(s.Evidence) != want || s.Outcome == nil || s.Outcome.Why != "ada stopped it" || s.Counts.MicroUSD != 9 {
		t.Errorf("%v: %s, %+v, %+v", err, s.Evidence, s.Outcome, s.Counts)
	}
}
