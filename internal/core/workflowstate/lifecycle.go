package workflowstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/machine"
	"warp/internal/core/text"
)

// Status is a workflow's stage in its lifecycle.
type Status string

// A pause is not a status: a workflow is paused within its status.
const (
	Planning  Status = "planning"
	Executing Status = "executing"
	Reviewing Status = "reviewing"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Event moves a workflow from one status to another.
type Event string

const (
	PlanApproved Event = "plan_approved"
	PlanRejected Event = "plan_rejected"
	Replanned    Event = "planned_anew" // by a person, who changed the document
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

// Lifecycle returns the transition table.
func Lifecycle() *machine.Table[Status, Event] { return machine.New(rows) }

// Ended reports whether the status is final.
func (s Status) Ended() bool { return s == Completed || s == Failed }

// Failure records why a workflow failed.
type Failure struct {
	At     string `json:"at"`
	Reason Event  `json:"reason"` // plan_rejected, failed, aborted
	Why    string `json:"why"`
	Task   string `json:"task,omitempty"`
}

// Fire applies an event, or refuses it with a *machine.Refusal. An event that has already led here
// changes nothing. Why and task are kept if the event fails the workflow.
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

// leadsTo reports whether an event leads to the current status. Of a failure the first reason
// counts.
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
	PausedPlan       = "plan"  // waits for approval
	PausedAgent      = "agent" // it cannot work: missing, logged out or limited
	PausedPerson     = "person"
	PausedMigrated   = "migrated"
)

// Pause records since when nothing starts, and why.
type Pause struct {
	At     string `json:"at"`
	Reason string `json:"reason"`
	Why    string `json:"why"`
	Task   string `json:"task,omitempty"`
}

// Pause pauses the workflow and blocks the agents of the task concerned. The first pause stays
// until resumed; a workflow that has ended cannot be paused.
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

// Resume ends a pause and reports whether there was one. A person who resumes after too many
// re-plans of a task allows as many again.
func (s *State) Resume() bool {
	was := s.Paused
	s.Paused = nil
	s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.Status != Blocked }) // they start again
	if was != nil && was.Reason == PausedReplans {
		if p := s.PendingTasks.Find(was.Task); p != nil {
			p.Replans = 0
		}
	}
	return was != nil
}

// PlanAnew adopts a plan that a person changed while the workflow was running, and goes back to
// planning: the plan is shown, and approved if required. Completed tasks stay completed, unless the
// plan wants them redone; tasks missing from the plan are dropped, and their commits stay. Costs
// and times keep counting.
func (s *State) PlanAnew(p Plan, redo func(task string) bool) error {
	if err := s.Fire(Replanned, "", "", time.Time{}); err != nil {
		return err
	}
	s.Orchestrator.TotalPhases, s.Supervisor.Enabled = p.Phases, p.Supervised
	asked := boundsOf(p.Limits)
	s.SafetyBounds.setLimits(asked.Limits())
	pending, number := []Pending{}, map[int]int{}
	for _, t := range p.Tasks {
		number[t.Phase]++
		at := s.CompletedTasks.find(t.Task)
		next := s.PendingTasks.Progress(t.Task)
		switch {
		case at >= 0 && !redo(t.Task):
			s.CompletedTasks[at].Phase, s.CompletedTasks[at].Number = t.Phase, number[t.Phase]
			continue
		case at >= 0:
			d := s.CompletedTasks[at]
			next.Round, next.Iterations, next.Before, next.MicroUSD, next.Unpriced = d.Round+1, d.Iterations, d.Iterations, d.MicroUSD, d.Unpriced
			s.CompletedTasks = slices.Delete(s.CompletedTasks, at, at+1)
		}
		if at < 0 && redo(t.Task) { // it is a different task now
			next.Before = next.Iterations
		}
		next.Phase, next.Task, next.Name, next.Number = t.Phase, t.Task, t.Name, number[t.Phase]
		next.Plan, next.PlanWhy = "", ""
		pending = append(pending, next)
	}
	s.PendingTasks = pending
	isOpen := func(phase int) bool {
		return slices.ContainsFunc(pending, func(t Pending) bool { return t.Phase == phase })
	}
	s.Milestones = slices.DeleteFunc(s.Milestones, func(m Milestone) bool { return isOpen(m.Phase) })
	s.Orchestrator.CurrentPhase = 0
	for !isOpen(s.Orchestrator.CurrentPhase) && s.Orchestrator.CurrentPhase < p.Phases-1 {
		s.Orchestrator.CurrentPhase++
	}
	s.point()
	return nil
}

// WorkOf names a task's work in its commit trailer and checkpoint; each redo has its own name.
func WorkOf(round int) string {
	if round == 0 {
		return "work"
	}
	return fmt.Sprintf("work-%d", round+1)
}
