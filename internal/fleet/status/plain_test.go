package status

import (
	"encoding/json"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/core/fleetview"
	"warp/internal/fleet/flow"
)

func TestPlain(t *testing.T) {
	item := func(issue string, s flow.State) flow.Item {
		return flow.Item{Submission: flow.Submission{Repo: "shop", Issue: issue, Title: "Task " + issue}, State: s, Attempt: 2, Worker: "m1", Spent: conduct.Spent{MicroUSD: 5}}
	}
	seen := time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)
	v := View{
		Fleet: flow.FleetStatus{Name: "f", Scope: "f", Night: "n", Merged: 9, File: fleetfile.File{Repositories: []fleetfile.Repository{{Name: "none"}, {Name: "shop"}}},
			Machines: []flow.MachineStatus{{Machine: flow.Machine{WorkerInfo: flow.WorkerInfo{Name: "m1", Pool: "linux", Slots: 4}, Seen: seen}, Used: 3, Resting: 1, Gone: true}},
			Running:  []flow.Item{item("1", flow.Runs)}, Queue: []flow.Queued{{Item: item("2", flow.Waits), Reason: "waits for shop#1"}}, Parked: []flow.Item{item("3", flow.Parked)}, Done: []flow.Item{item("4", flow.Done)}},
		Budget: flow.BudgetStatus{Settled: 7, Reserved: 8, Over: 1, Caps: fleetfile.Caps{Night: 12.5}},
		Trains: map[string]flow.TrainStatus{"shop": {Repo: "shop", Target: "main", Holder: "req:f/shop#9", Line: []flow.Passenger{{Boarding: flow.Boarding{Workflow: "req:f/shop#9"}}, {Boarding: flow.Boarding{Workflow: "req:f/shop#1"}}}}},
		Now:    map[string]Now{"shop#1": {Phase: "merging", Doing: "rebases", Train: "waits", Spent: conduct.Spent{MicroUSD: 50}, Ask: &conduct.Ask{ID: "q"}, Beat: seen}},
	}
	p := v.Plain()
	r := p.Running[0]
	switch {
	case p.Fleet != "f" || p.Merged != 9 || p.Budget != (fleetview.Budget{Settled: 7, Reserved: 8, Over: 1, Cap: 12_500_000}):
		t.Errorf("%+v", p)
	case len(p.Trains) != 1 || p.PlaceOf(r) != 2 || !p.Trains[0].Turn:
		t.Errorf("trains: %+v", p.Trains)
	case r.Phase != "merging" || r.Doing != "rebases" || r.Spent.MicroUSD != 50 || r.Ask == nil || !r.Beat.Equal(seen):
		t.Errorf("running: %+v", r)
	case p.Queue[0].Why != "waits for shop#1" || p.Queue[0].State != fleetview.Waiting || p.Parked[0].State != fleetview.Parked || p.Done[0].State != fleetview.Done:
		t.Errorf("%+v", p.Queue)
	case !p.Machines[0].Gone || p.Machines[0].Slots != 4 || p.Machines[0].Used != 3:
		t.Errorf("%+v", p.Machines)
	}
	d := fleetview.Detail{Requirement: fleetview.Requirement{Repo: "shop", Issue: "4"}}
	err := fill(&d, flow.RequirementStatus{Attempt: 3, Serial: 8, Outcome: &conduct.Outcome{Result: "merged"}, Evidence: json.RawMessage(`{"issue":"4","criteria":[{"id":"AC-01","met":true}]}`)}, false)
	if err != nil || d.State != fleetview.Done || d.Attempt != 3 || d.Evidence.Good() != 1 {
		t.Errorf("one that the fleet has forgotten: %v, %+v", err, d)
	}
	if err := fill(&d, flow.RequirementStatus{Evidence: json.RawMessage(`{`)}, true); err == nil {
		t.Error("damaged evidence is not noticed")
	}
}
