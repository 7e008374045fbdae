package flow_test

import (
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

func histories(t *testing.T, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join("testdata", "histories", pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("there are no histories %s (%v): record some, see TestRecord", pattern, err)
	}
	return list
}

// What earlier versions began goes on with this one. When this fails, the change of a
// workflow needs workflow.GetVersion.
func TestReplay(t *testing.T) {
	r := worker.NewWorkflowReplayer()
	flow.Register(r)
	for _, kind := range []string{"fleet", "purse", "req", "train"} {
		for _, name := range histories(t, "*-"+kind+"-*.json") {
			if err := r.ReplayWorkflowHistoryFromJSONFile(silent{}, name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A workflow that does something else than it did, without a version, is found out.
func TestAChangedWorkflowFailsTheReplay(t *testing.T) {
	changed := map[string]any{
		flow.RequirementFlow: func(ctx workflow.Context, in flow.Requirement) (conduct.Outcome, error) {
			if err := workflow.Sleep(ctx, time.Second); err != nil {
				return conduct.Outcome{}, err
			}
			return flow.DriveRequirement(ctx, in)
		},
		flow.FleetFlow: func(ctx workflow.Context, in flow.FleetState) error {
			in.File.Repositories = in.File.Repositories[:1] // a train less
			return flow.Fleet(ctx, in)
		},
		flow.TrainFlow: func(ctx workflow.Context, in flow.TrainState) error {
			in.Line = nil
			workflow.SignalExternalWorkflow(ctx, flow.FleetID("f"), "", flow.Ping, "")
			return flow.Train(ctx, in)
		},
		flow.BudgetFlow: func(ctx workflow.Context, in flow.BudgetState) error {
			in.File.Caps.Night = 0.01 // it refuses what was granted, which is told by the same signals
			workflow.Go(ctx, func(ctx workflow.Context) { _ = workflow.Sleep(ctx, time.Second) })
			return flow.Budget(ctx, in)
		},
	}
	for name, pattern := range map[string]string{flow.FleetFlow: "v1-fleet-*", flow.RequirementFlow: "v1-req-*", flow.TrainFlow: "v1-train-*", flow.BudgetFlow: "v1-purse-*"} {
		r := worker.NewWorkflowReplayer()
		r.RegisterWorkflowWithOptions(changed[name], workflow.RegisterOptions{Name: name})
		for _, history := range histories(t, pattern) {
			if err := r.ReplayWorkflowHistoryFromJSONFile(silent{}, history); err == nil {
				t.Errorf("%s: the change was not found", history)
			}
		}
	}
}
