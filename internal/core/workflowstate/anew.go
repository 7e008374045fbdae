package workflowstate

import (
	"fmt"
	"slices"
	"time"
)

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
