package status

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/flow"
)

// Plain converts the view to types without Temporal.
func (v View) Plain() fleetview.View {
	f := v.Fleet
	prefix := strings.TrimSuffix(flow.RequirementID(f.Scope, "", ""), "#")
	out := fleetview.View{Fleet: f.Name, Night: f.Night, Paused: f.Paused, Quiet: f.Quiet, Merged: f.Merged, Circles: f.Circles, Machines: []fleetview.Machine{}, Trains: []fleetview.Train{},
		Budget: fleetview.Budget{Settled: v.Budget.Settled, Reserved: v.Budget.Reserved, Over: v.Budget.Over, Cap: int64(v.Budget.Caps.Night * 1e6)}}
	for _, m := range f.Machines {
		out.Machines = append(out.Machines, fleetview.Machine{Name: m.Name, Pool: m.Pool, Used: m.Used, Slots: m.Slots, Resting: m.Resting, Seen: m.Seen, Gone: m.Gone, Draining: m.Draining, Hold: m.Hold})
	}
	for _, r := range f.File.Repositories { // in the file's order
		t, ok := v.Trains[r.Name]
		if !ok {
			continue
		}
		plain := fleetview.Train{Repo: r.Name, Target: t.Target, Line: []string{}, Turn: t.Holder != ""}
		for _, p := range t.Line {
			plain.Line = append(plain.Line, strings.TrimPrefix(p.Workflow, prefix))
		}
		out.Trains = append(out.Trains, plain)
	}
	list := func(items []flow.Item, s fleetview.State) []fleetview.Requirement {
		list := []fleetview.Requirement{}
		for _, i := range items {
			list = append(list, v.plain(i, s))
		}
		return list
	}
	out.Running, out.Parked, out.Done = list(f.Running, fleetview.Running), list(f.Parked, fleetview.Parked), list(f.Done, fleetview.Done)
	out.Queue = []fleetview.Requirement{}
	for _, q := range f.Queue {
		r := v.plain(q.Item, fleetview.Waiting)
		r.Why = q.Reason
		out.Queue = append(out.Queue, r)
	}
	return out
}

func (v View) plain(i flow.Item, s fleetview.State) fleetview.Requirement {
	r := fleetview.Requirement{Repo: i.Repo, Issue: i.Issue, Title: i.Title, State: s, Paused: i.Paused, Why: i.Why, Worker: i.Worker, Account: i.Account,
		Attempt: i.Attempt, Since: i.Since, Spent: i.Spent, Outcome: i.Outcome}
	if n, ok := v.Now[i.ID()]; ok && s == fleetview.Running {
		r.Phase, r.Doing, r.Train, r.Ask, r.Beat = n.Phase, n.Doing, n.Train, n.Ask, n.Beat
		if n.Spent.MicroUSD > r.Spent.MicroUSD || n.Spent.Tokens > r.Spent.Tokens {
			r.Spent = n.Spent
		}
	}
	return r
}

// One returns a requirement as its fleet and its own workflow know it, also after its end. The
// fleet may have forgotten one that was merged long ago.
func One(ctx context.Context, c *connect.Link, fleet, repo, issue string) (fleetview.Detail, error) {
	var f flow.FleetStatus
	if err := flow.Ask(ctx, c, flow.FleetID(fleet), &f); err != nil {
		return fleetview.Detail{}, err
	}
	d := fleetview.Detail{Requirement: fleetview.Requirement{Repo: repo, Issue: issue}}
	known := false
	if r, ok := (View{Fleet: f}).Plain().Find(d.ID()); ok {
		d.Requirement, known = r, true
	}
	var s flow.RequirementStatus
	err := flow.Ask(ctx, c, flow.RequirementID(f.Scope, repo, issue), &s)
	switch {
	case err != nil && flow.IsNone(err) && known: // it has not begun, or the server has forgotten it
		return d, nil
	case err != nil:
		return d, err
	}
	return d, fill(&d, s, known)
}

// fill adds the status of the requirement's workflow.
func fill(d *fleetview.Detail, s flow.RequirementStatus, known bool) error {
	d.Steps, d.Notes = s.Serial, s.Notes
	if !known {
		d.State, d.Attempt, d.Since, d.Spent, d.Outcome = fleetview.Running, s.Attempt, s.Since, s.Spent, s.Outcome
		if s.Outcome != nil {
			d.State = fleetview.Done
		}
	}
	if d.State == fleetview.Running {
		d.Phase, d.Doing, d.Train, d.Ask, d.Spent = s.Phase, s.Doing, s.Train, s.Ask, s.Spent
	}
	if len(s.Evidence) == 0 {
		return nil
	}
	d.Evidence = &evidence.Account{}
	if err := json.Unmarshal(s.Evidence, d.Evidence); err != nil {
		return fmt.Errorf("reading the evidence of %s: %w", d.ID(), err)
	}
	return nil
}
