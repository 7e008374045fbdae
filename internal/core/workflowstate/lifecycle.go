package workflowstate

import (
	"slices"
	"time"

	"warp/internal/core/machine"
	"warp/internal/core/text"
)

// Status is where a workflow is in its life.
type Status string

// The statuses. A pause is none: a workflow is paused within its status.
const (
	Planning  Status = "planning"
	Executing Status = "executing"
	Reviewing Status = "reviewing"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Event leads from one status to another.
type Event string

// The events.
const (
	PlanApproved Event = "plan_approved"
	PlanRejected Event = "plan_rejected"
	Replanned    Event = "planned_anew" // by a person, who has changed the document
	PhasesDone   Event = "phases_done"
	OuterDone    Event = "outer_done"
	GaveUp       Event = "failed"
	Aborted      Event = "aborted"
)

var rows = []machine.Row[Status, Event]{
	{From: Planning, On: PlanApproved, To: Executing},
	{From: Planning, On: PlanRejected, To: Failed},
	{From: Planning, On: GaveUp, To: Failed},
	{From: Planning, On: Aborted, To: Failed},
	{From: Executing, On: PhasesDone, To: Reviewing},
	{From: Executing, On: Replanned, To: Planning},
	{From: Executing, On: GaveUp, To: Failed},
	{From: Executing, On: Aborted, To: Failed},
	{From: Reviewing, On: OuterDone, To: Completed},
	{From: Reviewing, On: Replanned, To: Planning},
	{From: Reviewing, On: GaveUp, To: Failed},
	{From: Reviewing, On: Aborted, To: Failed},
}

// Lifecycle is the table of statuses.
func Lifecycle() *machine.Table[Status, Event] { return machine.New(rows) }

// Ended tells a status that nothing leads on from.
func (s Status) Ended() bool { return s == Completed || s == Failed }

// Failure says why a workflow failed.
type Failure struct {
	At     string `json:"at"`
	Reason Event  `json:"reason"` // plan_rejected, failed, aborted
	Why    string `json:"why"`
	Task   string `json:"task,omitempty"`
}

// Fire takes the workflow over an event, or refuses it with a
// *machine.Refusal. An event that has led here already changes nothing. why and
// task are kept of an event that fails the workflow.
func (s *State) Fire(e Event, why, task string, at time.Time) error {
	now := s.Orchestrator.Status
	if leadsTo(e, now) {
		return nil
	}
	to, err := Lifecycle().Next(now, e)
	if err != nil {
		return err
	}
	s.Orchestrator.Status = to
	if to.Ended() {
		s.EngineLeaves()
	}
	s.Orchestrator.OuterRalph = to == Reviewing
	if to == Reviewing {
		s.Orchestrator.RalphIteration = 0
	}
	if !to.Ended() {
		return nil
	}
	end := Stamp(at)
	s.Orchestrator.EndTime = &end
	s.ActiveAgents, s.Paused = nil, nil
	if to == Failed {
		s.Failure = &Failure{At: end, Reason: e, Why: text.Prefix(why, maxText), Task: task}
	}
	return nil
}

// leadsTo tells whether an event is what led to the present status. Of a failure the
// first reason counts.
func leadsTo(e Event, now Status) bool {
	return slices.ContainsFunc(rows, func(r machine.Row[Status, Event]) bool {
		return r.On == e && r.To == now
	})
}

// Why a workflow is paused.
const (
	PausedCost       = "cost"
	PausedTime       = "time"
	PausedIterations = "iterations"
	PausedReplans    = "re_plans"
	PausedPlan       = "plan" // it waits for its approval
	PausedTask       = "task_failed"
	PausedAgent      = "agent" // it could not work: it is missing, logged out, limited
	PausedPerson     = "person"
	PausedMigrated   = "migrated"
)

// Pause says since when nothing is begun, and why.
type Pause struct {
	At     string `json:"at"`
	Reason string `json:"reason"`
	Why    string `json:"why"`
	Task   string `json:"task,omitempty"`
}

// Pause holds the workflow, and blocks the agents of the task that it is about. The
// first pause stands until it is resumed; one that has ended cannot be paused.
func (s *State) Pause(reason, why, task string, at time.Time) bool {
	if s.Orchestrator.Status.Ended() {
		return false
	}
	s.ActiveAgents.block(task, why, s.PendingTasks.Progress(task).Iteration, at)
	if s.Paused != nil {
		return false
	}
	s.Paused = &Pause{Stamp(at), reason, text.Prefix(why, maxText), task}
	return true
}

// Resume lets it go on, and tells whether it was paused. A person who lets it go
// on although a task was re-planned too often allows as many plans again.
func (s *State) Resume() bool {
	was := s.Paused
	s.Paused = nil
	s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.Status != Blocked }) // they are begun again
	if was != nil && was.Reason == PausedReplans {
		if p := s.PendingTasks.Find(was.Task); p != nil {
			p.Replans = 0
		}
	}
	return was != nil
}
