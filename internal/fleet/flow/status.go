package flow

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
	"warp/internal/core/schedule"
)

// Register registers the workflows with a worker, under names that never change.
func Register(w worker.WorkflowRegistry) {
	for name, flow := range map[string]any{FleetFlow: Fleet, RequirementFlow: DriveRequirement, TrainFlow: Train, BudgetFlow: Budget, NightFlow: runNight} {
		w.RegisterWorkflowWithOptions(flow, workflow.RegisterOptions{Name: name})
	}
}

// Ask reads the status of a workflow.
func Ask(ctx context.Context, c client.Client, id string, status any) error {
	v, err := c.QueryWorkflow(ctx, id, "", Status)
	if err != nil {
		return err
	}
	return v.Get(status)
}

// IsNone reports whether the server says that there is no such workflow, or no such attempt.
func IsNone(err error) bool {
	var none *serviceerror.NotFound
	return errors.As(err, &none)
}

// FleetStatus answers a fleet's status query.
type FleetStatus struct {
	Name, Night, Paused string
	Scope               string `json:",omitempty"` // scope of the ids of its requirements and trains
	File                fleetfile.File
	Quiet               time.Time // end of the quiet hours; zero if it is not quiet
	Machines            []MachineStatus
	Queue               []Queued // in the order in which they would begin
	Running             []Item
	Parked              []Item
	Done                []Item // the latest
	Merged              int
	Refused             int      `json:",omitempty"` // submissions without room
	Circles             []string // requirements that wait for each other, or for an unknown one
}

// MachineStatus is a worker's load, or why it is idle.
type MachineStatus struct {
	Machine
	Used, Resting int
	Gone          bool
	Hold          string
}

// Queued is a waiting item with the reason.
type Queued struct {
	Item
	Reason string
}

func (f *fleet) status(now time.Time) FleetStatus {
	s := FleetStatus{File: f.File, Name: f.Name, Scope: f.Scope, Night: f.Night, Refused: f.Refused, Paused: f.Paused, Quiet: f.quiet, Merged: f.Merged, Circles: f.queue.Circles()}
	for _, m := range f.Machines {
		used, resting := f.items.countUse(m.Name)
		m.Slots, m.Accounts = findTerms(f.File, m)
		hold := f.holds[m.Name]
		if !slices.ContainsFunc(f.File.Pools, func(p fleetfile.Pool) bool { return p.Label == m.Pool }) {
			hold = "its pool is not in fleet.yaml"
		}
		s.Machines = append(s.Machines, MachineStatus{m, used, resting, now.Sub(m.Seen) > f.Terms.Silence || !m.Missed.IsZero(), hold})
	}
	lists := map[State]*[]Item{Runs: &s.Running, Parked: &s.Parked, Done: &s.Done}
	for _, i := range f.Items {
		if list := lists[i.State]; list != nil {
			*list = append(*list, i)
		} else if i.Paused {
			s.Queue = append(s.Queue, Queued{i, "it is paused"})
		}
	}
	for _, w := range f.queue.Line() {
		if i := f.items.find(w.ID); i != nil {
			s.Queue = append(s.Queue, Queued{*i, f.reason(w, now)})
		}
	}
	return s
}

// reason returns why an item waits that could begin.
func (f *fleet) reason(w schedule.Waiting, now time.Time) string {
	switch {
	case w.Why != "":
		return w.Why
	case f.Paused != "":
		return f.Paused + " paused the fleet"
	case !f.quiet.IsZero():
		return "quiet hours until " + f.quiet.Format("Mon 15:04")
	}
	pool := ""
	for _, r := range f.File.Repositories {
		if r.Name == w.Repo {
			pool = r.Pool
		}
	}
	fits := func(m Machine) bool { return pool == "" || m.Pool == pool }
	n := slices.IndexFunc(f.Machines, func(m Machine) bool { return fits(m) && !m.Draining && now.Sub(m.Seen) <= f.Terms.Silence })
	if n < 0 { // no worker could take it: name a gone one's hold rather than nothing
		n = slices.IndexFunc(f.Machines, fits)
	}
	if n >= 0 {
		return "worker " + f.Machines[n].Name + ": " + f.holds[f.Machines[n].Name]
	}
	return strings.TrimSpace("there is no worker " + pool)
}
