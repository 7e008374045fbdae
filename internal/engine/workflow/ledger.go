package workflow

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// ledger is what a workflow knows of itself: its state, its plan, and what it has
// used. Tasks that run side by side share it.
type ledger struct {
	*Engine
	state  *step.Document[workflow.State]
	bounds *step.Bounds
	began  time.Time     // by this process
	had    time.Duration // of work before that

	rewriting sync.Mutex // of the plan, which is read all the time
	document  atomic.Pointer[taskdoc.Document]
	counting  sync.Mutex
	uncounted budget.Amount // what runs have used that the state does not know yet
}

// now is the state as it was written last.
func (l *ledger) now() *workflow.State { return l.state.Now() }

// record changes the state durably.
func (l *ledger) record(what string, fn func(*workflow.State)) error {
	return l.state.Update(what, func(s *workflow.State) error {
		fn(s)
		return nil
	})
}

// fire takes the workflow to another status.
func (l *ledger) fire(what string, e workflow.Event, why string) error {
	return l.state.Update(what, func(s *workflow.State) error { return s.Fire(e, why, "", l.Now()) })
}

// plan is the document as it is now.
func (l *ledger) plan() *taskdoc.Document { return l.document.Load() }

// pause has the workflow wait for a person. The first reason stands.
func (l *ledger) pause(reason, task, format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	if err := l.record("paused", func(s *workflow.State) { s.Pause(reason, l.Redact(why), task, l.Now()) }); err != nil {
		return err
	}
	p := workflow.Pause{Reason: reason, Why: why, Task: task}
	if s := l.now(); s.Paused != nil {
		p = *s.Paused
	}
	l.tell(Note{Kind: Paused, Task: task, Text: p.Why})
	return &PausedError{p}
}

// total is how long the workflow was at work, whichever process was at it.
func (l *ledger) total() time.Duration { return l.had + l.Now().Sub(l.began) }

// atWork is done to the state with each change: this engine is at it, for so long.
func (l *ledger) atWork(s *workflow.State) {
	s.Elapsed(l.total())
	s.Engine = l.Process.PID
}

// newBounds are those of the workflow, for all its runs. A bound in money that no
// person asked for is not held against an agent whose prices are not known: its
// time bounds it.
func (l *ledger) newBounds() *step.Bounds {
	limits := l.now().SafetyBounds.Limits()
	return &step.Bounds{
		Limit: budget.Amount{MicroUSD: limits.MicroUSD, Tokens: l.Tokens, Time: limits.Time}, Explicit: limits.MicroUSD != workflow.DefaultLimits.MicroUSD,
		Idle: l.Idle, Spent: l.spent, Used: l.Used, Breaker: &budget.Breaker{},
	}
}

// spent is what the workflow has used by now, with what the state does not know
// yet.
func (l *ledger) spent(time.Time) budget.Amount {
	b := l.now().SafetyBounds
	l.counting.Lock()
	defer l.counting.Unlock()
	return l.uncounted.Add(budget.Amount{MicroUSD: b.Cost(), Tokens: b.Tokens, Time: l.total()})
}

// count takes what a run has used, until the state has it.
func (l *ledger) count(u agent.Usage, sign int64) {
	l.counting.Lock()
	defer l.counting.Unlock()
	l.uncounted = l.uncounted.Add(budget.Amount{MicroUSD: sign * u.MicroUSD, Tokens: sign * u.Tokens()})
}

// withinBounds pauses the workflow at a bound, and warns before.
func (l *ledger) withinBounds(task string) error {
	crossed := l.now().Crossed(task, l.total())
	if len(crossed) == 0 {
		return nil
	}
	var fresh []workflow.Crossing
	if err := l.record("bounds", func(s *workflow.State) { fresh = s.Warned(crossed) }); err != nil {
		return err
	}
	for _, c := range fresh {
		l.tell(Note{Kind: Warned, Task: task, Text: c.Text})
	}
	for _, c := range crossed {
		if c.Stop() {
			return l.pause(c.Bound, task, "%s; warp workflow extend allows more, and continues", c.Text)
		}
	}
	return nil
}

// leastTime is what a command gets when the time is all but used up.
const leastTime = 5 * time.Second

// command is one of the project's, which has what is left of the time.
func (l *ledger) command(line string) judge.Command {
	left := l.now().SafetyBounds.Limits().Time - l.total()
	return judge.Command{Line: line, Environ: l.Environ, Limit: min(judge.CommandTime, max(leastTime, left))}
}
