package workflowstate

import (
	"fmt"
	"time"
)

// Planned is a task of the task document.
type Planned struct {
	Phase      int // from 0
	Task, Name string
}

// Plan holds the parameters of a new workflow.
type Plan struct {
	ID           string
	TaskDoc      string // absolute
	Phases       int
	Tasks        []Planned // in the document's order
	Limits       Limits
	Supervised   bool
	Level        int
	Branch, Base string
	Text         string // git blob with the task document's text
	Place        string // name of its own work tree; "": the person's
	BeganOn      string // branch checked out there before
	Target       string // branch to merge the work into
}

// OuterTask replaces a task's id for agents of the outer loop.
const OuterTask = "outer"

// Begin returns the state of a new workflow, in planning.
func Begin(p Plan, at time.Time) *State {
	s := &State{ID: p.ID, Level: p.Level, Branch: p.Branch, Place: p.Place, BeganOn: p.BeganOn, Base: p.Base, Text: p.Text, Target: p.Target}
	s.Orchestrator = Orchestrator{Status: Planning, TaskDoc: p.TaskDoc, TotalPhases: p.Phases, StartTime: Stamp(at)}
	s.Supervisor.Enabled = p.Supervised
	s.SafetyBounds = boundsOf(p.Limits)
	number := map[int]int{}
	for _, t := range p.Tasks {
		number[t.Phase]++
		s.PendingTasks = append(s.PendingTasks, Pending{Phase: t.Phase, Task: t.Task, Name: t.Name, Number: number[t.Phase]})
	}
	s.point()
	return s
}

// PhaseBegun moves on to a phase, never back.
func (s *State) PhaseBegun(phase int) {
	if phase > s.Orchestrator.CurrentPhase {
		s.Orchestrator.CurrentPhase = phase
		s.point()
	}
}

// TaskBegun records that a task is in progress, for the first time or again. It returns false if
// the task already is, or is completed.
func (s *State) TaskBegun(task string, at time.Time) bool {
	p := s.PendingTasks.Find(task)
	if p == nil || p.running() {
		return false
	}
	if p.Began == "" {
		p.Began, p.BeganAfter = Stamp(at), s.SafetyBounds.Elapsed().Milliseconds()
	}
	p.Failed, p.FailedWhy = "", ""
	s.point()
	return true
}

// IterationBegun records the task's current iteration, from 1.
func (s *State) IterationBegun(task string, n int) bool {
	if p := s.PendingTasks.Find(task); p != nil {
		changed := p.Iteration != n
		p.Iteration = n
		s.point()
		return changed
	}
	if task != OuterTask || !s.Orchestrator.OuterRalph || s.Orchestrator.RalphIteration == n {
		return false
	}
	s.Orchestrator.RalphIteration = n
	return true
}

// IterationSentBack records that an iteration does not count towards the task's limit.
func (s *State) IterationSentBack(task string, n int) {
	if p := s.PendingTasks.Find(task); p != nil && p.SentBack != n {
		p.SentBack = n
		p.Before++
	}
}

// IterationDone counts an iteration once, with its cost. Total is how long the workflow has worked
// by now, without pauses.
func (s *State) IterationDone(task string, n int, microUSD int64, total time.Duration) {
	s.SafetyBounds.RaiseElapsed(total)
	fresh := s.Spent(fmt.Sprintf("iteration %s %d", task, n), task, microUSD)
	if p := s.PendingTasks.Find(task); fresh && p != nil {
		p.Iterations = max(p.Iterations, n)
	}
}

// Spent counts a cost, once for each step, and also charges a task while it is pending.
func (s *State) Spent(step, task string, microUSD int64) bool {
	if !s.once(step) {
		return false
	}
	microUSD = max(0, microUSD)
	s.SafetyBounds.setCost(s.SafetyBounds.Cost() + microUSD)
	if p := s.PendingTasks.Find(task); p != nil {
		p.MicroUSD += microUSD
	}
	return true
}

// CountUnpriced counts a run whose cost is not known.
func (s *State) CountUnpriced(task string) {
	spent := s.SafetyBounds.Cost() // before its text changes: a person may have edited it
	s.SafetyBounds.Unpriced++
	s.SafetyBounds.setCost(spent)
	if p := s.PendingTasks.Find(task); p != nil {
		p.Unpriced++
	}
}
