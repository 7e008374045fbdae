package workflow

import (
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// newBounds are those of the workflow, for all its runs. A bound in money that
// nobody asked for is not held against an agent whose prices are not known: its
// time bounds it.
func (r *run) newBounds() *step.Bounds {
	l := r.now().SafetyBounds.Limits()
	return &step.Bounds{
		Limit: budget.Amount{MicroUSD: l.MicroUSD, Tokens: r.Tokens, Time: l.Time}, Explicit: l.MicroUSD != workflow.DefaultLimits.MicroUSD,
		Idle: r.Idle, Spent: r.spent, Used: r.Used, Breaker: &budget.Breaker{},
	}
}

// spent is what the workflow has used by now, with what the state does not know
// yet.
func (r *run) spent(time.Time) budget.Amount {
	b := r.now().SafetyBounds
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.uncounted.Add(budget.Amount{MicroUSD: b.Cost(), Tokens: b.Tokens, Time: r.total()})
}

// count takes what a run has used, until the state has it.
func (r *run) count(u agent.Usage, sign int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uncounted = r.uncounted.Add(budget.Amount{MicroUSD: sign * u.MicroUSD, Tokens: sign * u.Tokens()})
}

// ended takes an agent from those at work, and counts what it used, once.
func (q *question) ended(j *job, name string, u agent.Usage) error {
	return j.update("agent_ended", func(s *workflow.State) error {
		s.AgentEnded(q.kind, j.ID)
		if s.Spent(s.ID+"/"+j.ID+"/"+name, j.ID, u.MicroUSD) {
			s.SafetyBounds.Tokens += u.Tokens()
		}
		return nil
	})
}

// withinBounds pauses the workflow at a bound, and warns before.
func (r *run) withinBounds(task string) error {
	crossed := r.now().Crossed(task, r.total())
	var fresh []workflow.Crossing
	if len(crossed) > 0 {
		if err := r.update("bounds", func(s *workflow.State) error { fresh = s.Warned(crossed); return nil }); err != nil {
			return err
		}
	}
	for _, c := range fresh {
		r.tell(Note{Kind: Warned, Task: task, Text: c.Text})
	}
	for _, c := range crossed {
		if c.Stop() {
			return r.pause(c.Bound, c.Text+"; warp workflow extend allows more, and goes on", task)
		}
	}
	return nil
}

// leastTime is what a command gets when the time is all but used up.
const leastTime = 5 * time.Second

// command is one of the project's, which has what is left of the time.
func (r *run) command(dir, line string) judge.Command {
	left := r.now().SafetyBounds.Limits().Time - r.total()
	return judge.Command{Line: line, Dir: dir, Environ: r.Environ, Limit: min(judge.CommandTime, max(leastTime, left))}
}
