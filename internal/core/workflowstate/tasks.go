package workflowstate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/scope"
	"warp/internal/core/text"
)

// Finish describes a task that met its criteria.
type Finish struct {
	Task     string
	Files    []string
	Criteria Criteria
	Commit   string
	Unasked  []scope.Point
}

// TaskDone moves a task from pending to completed, with its iterations, time and cost.
func (s *State) TaskDone(f Finish, at time.Time) {
	p := s.PendingTasks.Find(f.Task)
	if p == nil {
		return
	}
	took := s.SafetyBounds.Elapsed()
	if p.Began != "" {
		took -= time.Duration(p.BeganAfter) * time.Millisecond
	}
	s.CompletedTasks = append(s.CompletedTasks, Done{
		Origin: others(p.Origin), Task: p.Task, Name: p.Name, Completed: Stamp(at), Iterations: p.Iterations, TimeElapsed: taskTime(took), Cost: CostText(p.MicroUSD, p.Unpriced),
		FilesModified: slices.Clone(f.Files), Criteria: slices.Clone(f.Criteria), Phase: p.Phase, Number: p.Number, Round: p.Round, Commit: f.Commit,
		Unasked: slices.Clone(f.Unasked), MicroUSD: p.MicroUSD, Unpriced: p.Unpriced, Millis: max(0, took.Milliseconds()),
	})
	s.PendingTasks = slices.DeleteFunc(s.PendingTasks, func(o Pending) bool { return o.Task == f.Task })
	s.point()
}

// TaskFailed records that a try of a task was given up. The task stays pending.
func (s *State) TaskFailed(task, why string, at time.Time) bool {
	p := s.PendingTasks.Find(task)
	if p == nil || p.Failed != "" {
		return false
	}
	p.Failed, p.FailedWhy = Stamp(at), text.Prefix(why, maxText)
	s.point()
	return true
}

// Replanned gives a pending task a new name and text, with the reason. A new task is added at the
// end of its phase.
func (s *State) Replanned(t Planned, plan, why string) bool {
	p := s.PendingTasks.Find(t.Task)
	switch {
	case p == nil && s.CompletedTasks.Has(t.Task):
		return false
	case p == nil:
		n := 0
		for _, o := range s.PendingTasks {
			if o.Phase == t.Phase {
				n = max(n, o.Number)
			}
		}
		for _, o := range s.CompletedTasks {
			if o.Phase == t.Phase {
				n = max(n, o.Number)
			}
		}
		s.PendingTasks = append(s.PendingTasks, Pending{Phase: t.Phase, Task: t.Task, Number: n + 1})
		slices.SortStableFunc(s.PendingTasks, func(a, b Pending) int { return cmp.Or(a.Phase-b.Phase, a.Number-b.Number) })
		p = s.PendingTasks.Find(t.Task)
	case p.Name == t.Name && p.Plan == plan && p.PlanWhy == why:
		return false
	}
	p.Name, p.Plan, p.PlanWhy = t.Name, plan, why
	s.point()
	return true
}

// others returns the members of a pending task's object that belong to neither kind of task, for
// the completed task to keep.
func others(r lossless.Origin) (kept lossless.Origin) {
	if r.Source() == nil {
		return kept
	}
	both := lossless.Encode(Done{Phase: 1, Number: 1, Commit: "-", MicroUSD: 1, Unpriced: 1, Millis: 1}, nil).Members
	both = append(both, lossless.Encode(Pending{Number: 1, Began: "-", BeganAfter: 1, Iteration: 1, Iterations: 1, MicroUSD: 1, Replans: 1,
		Plan: "-", PlanWhy: "-", Failed: "-", FailedWhy: "-"}, nil).Members...)
	v := r.Source()
	for _, m := range both {
		v = v.Without(m.Key)
	}
	kept.Remember(v)
	return kept
}

// point sets current_task and ralph_iteration to the first task in progress in the phase or,
// without one, to the number of completed tasks.
func (s *State) point() {
	o, done, total := &s.Orchestrator, 0, 0
	var first *Pending
	for _, d := range s.CompletedTasks {
		if d.Phase == o.CurrentPhase {
			done++
			total++
		}
	}
	for i := range s.PendingTasks {
		p := &s.PendingTasks[i]
		if p.Phase != o.CurrentPhase {
			continue
		}
		total++
		if p.running() && (first == nil || p.Number < first.Number) {
			first = p
		}
	}
	if first != nil {
		done = first.Number
	}
	o.CurrentTask = fmt.Sprintf("%d/%d", done, total)
	if !o.OuterRalph {
		o.RalphIteration = 0
		if first != nil {
			o.RalphIteration = first.Iteration
		}
	}
}

// once records a step, and reports whether it is new.
func (s *State) once(step string) bool {
	if slices.Contains(s.Steps, step) {
		return false
	}
	s.Steps = newest(append(s.Steps, step), maxSteps)
	return true
}

// newest returns at most the last entries of a list.
func newest[T any](list []T, most int) []T {
	if extra := len(list) - most; extra > 0 {
		return slices.Delete(list, 0, extra)
	}
	return list
}
