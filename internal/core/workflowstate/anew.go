package workflowstate

import (
	"fmt"
	"slices"
	"time"
)

// PlanAnew takes over a plan that a person has changed while the workflow was under way,
// and goes back to planning: the plan is shown, and approved where that is asked for.
// What is done stays done, unless the plan wants it done again; tasks that the plan no
// longer has are no longer wanted, and their commits stay. What was used counts on.
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
			next.Round, next.Iterations, next.Before, next.MicroUSD = d.Round+1, d.Iterations, d.Iterations, d.MicroUSD
			s.CompletedTasks = slices.Delete(s.CompletedTasks, at, at+1)
		}
		if at < 0 && redo(t.Task) { // it is another task by now
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

// WorkOf names the work of a task in its commit's trailer, and its checkpoint: a task
// that is done again has another.
func WorkOf(round int) string {
	if round == 0 {
		return "work"
	}
	return fmt.Sprintf("work-%d", round+1)
}
