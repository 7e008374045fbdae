package workflow

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

// ledger holds a workflow's state, plan and usage. Parallel tasks share it.
type ledger struct {
	*Engine
	state         *step.Document[workflowstate.State]
	bounds        *step.Bounds
	awake         func() time.Time
	began         time.Time     // when this process began, by the awake clock
	elapsedBefore time.Duration // work time before that
	sleepMeter    *proc.SleepMeter

	rewriting sync.Mutex // guards rewrites of the plan, which is read all the time
	document  atomic.Pointer[taskdoc.Document]
	counting  sync.Mutex
	uncounted budget.Amount // usage of runs that the state does not include yet

	suiteMillis atomic.Int64 // of the last passing run of the tests; 0: unknown
}

// now returns the state as last written.
func (l *ledger) now() *workflowstate.State { return l.state.Now() }

// record changes the state durably.
func (l *ledger) record(what string, fn func(*workflowstate.State)) error {
	return l.state.Update(what, func(s *workflowstate.State) error {
		fn(s)
		return nil
	})
}

// fire moves the workflow to another status.
func (l *ledger) fire(what string, e workflowstate.Event, why string) error {
	change := func(s *workflowstate.State) error { return s.Fire(e, why, "", l.Now()) }
	return l.state.UpdateTold(what, change, func(next *workflowstate.State) {
		if next.Orchestrator.Status.Ended() && l.Ended != nil {
			l.Ended(next)
		}
	})
}

// plan returns the present document.
func (l *ledger) plan() *taskdoc.Document { return l.document.Load() }

// pause makes the workflow wait for a person. The first reason is kept.
func (l *ledger) pause(reason, task, format string, args ...any) error {
	why := fmt.Sprintf(format, args...)
	return l.pauseWhere(task, func(*workflowstate.State) (string, string) { return reason, why })
}

// pauseWhere pauses if holds finds a reason in the state at that moment: a person may have raised a
// limit meanwhile.
func (l *ledger) pauseWhere(task string, holds func(*workflowstate.State) (reason, why string)) error {
	var p *workflowstate.Pause
	told := false
	tell := func(*workflowstate.State) {
		if p != nil && !told {
			told = true
			l.tell(Note{Kind: Paused, Task: task, Text: p.Why})
		}
	}
	err := l.state.UpdateTold("paused", func(s *workflowstate.State) error {
		p = nil
		if reason, why := holds(s); reason != "" {
			s.Pause(reason, l.Redact(why), task, l.Now())
			p = cmp.Or(s.Paused, &workflowstate.Pause{Reason: reason, Why: why, Task: task})
		}
		return nil
	}, tell)
	if err != nil || p == nil {
		return err
	}
	tell(nil) // a reason may have been recorded since
	return &PausedError{*p}
}

// elapsed returns how long all processes worked on the workflow.
func (l *ledger) elapsed() time.Duration { return l.elapsedBefore + max(0, l.awake().Sub(l.began)) }

// markAtWork updates the state's engine and elapsed time with each change.
func (l *ledger) markAtWork(s *workflowstate.State) {
	s.SafetyBounds.RaiseElapsed(l.elapsed())
	s.SafetyBounds.ElapsedAt = workflowstate.Stamp(l.Now())
	s.Engine = l.Process.PID
}

// beatEvery is how often the state is written while agents work, so that its time is never much
// older. It costs three syncs and some 300 bytes of journal.
const beatEvery = 30 * time.Second

// keepTime writes the workflow's elapsed time regularly until it is stopped.
func (l *ledger) keepTime() (stop func()) {
	over, beats := make(chan struct{}), l.Beats
	if beats == nil {
		beats = time.Tick(beatEvery)
	}
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-beats:
				l.tellAsleep()
				_ = l.record("elapsed", func(*workflowstate.State) {}) // best effort: the next step writes it too
			}
		}
	})
	return func() {
		close(over)
		beating.Wait()
		l.tellAsleep()
	}
}

// tellAsleep remarks how long the machine slept, which is not charged.
func (l *ledger) tellAsleep() {
	if slept := l.sleepMeter.Uncounted().Truncate(time.Second); slept > 0 {
		l.sleepMeter.Count(slept)
		l.remark("%s", text.Asleep(slept))
	}
}

// newBounds returns the workflow's limits for all its runs. A money limit that no person set is not
// enforced for agents with unknown prices: the time limit still bounds them.
func (l *ledger) newBounds() *step.Bounds {
	return &step.Bounds{
		Raised: l.limit, Explicit: l.now().SafetyBounds.Limits().MicroUSD != workflowstate.DefaultLimits.MicroUSD,
		Idle: l.Idle, Spent: l.spent, Used: l.Used, Breaker: &budget.Breaker{},
	}
}

// limit returns the limit in force: a person may have raised it since the last write (warp workflow
// extend).
func (l *ledger) limit() budget.Amount {
	limits := l.state.Fresh().SafetyBounds.Limits()
	return budget.Amount{MicroUSD: limits.MicroUSD, Tokens: l.Tokens, Time: limits.Time}
}

// spent returns the workflow's usage, including what the state does not have yet.
func (l *ledger) spent(time.Time) budget.Amount {
	b := l.now().SafetyBounds
	l.counting.Lock()
	defer l.counting.Unlock()
	return l.uncounted.Add(budget.Amount{MicroUSD: b.Cost(), Tokens: b.Tokens, Time: l.elapsed()})
}

// countUsage adds a run's usage until the state includes it.
func (l *ledger) countUsage(u agent.Usage, sign int64) {
	l.counting.Lock()
	defer l.counting.Unlock()
	l.uncounted = l.uncounted.Add(budget.Amount{MicroUSD: sign * u.MicroUSD, Tokens: sign * u.Tokens()})
}

// withinBounds pauses the workflow at a limit, and warns before.
func (l *ledger) withinBounds(task string) error {
	crossed := l.now().Crossed(task, l.elapsed())
	if len(crossed) == 0 {
		return nil
	}
	var fresh []workflowstate.Crossing
	if err := l.record("bounds", func(s *workflowstate.State) {
		crossed = s.Crossed(task, l.elapsed())
		fresh = s.SafetyBounds.Warn(crossed)
	}); err != nil {
		return err
	}
	for _, c := range fresh {
		l.tell(Note{Kind: Warned, Task: task, Text: c.Text})
	}
	if !slices.ContainsFunc(crossed, workflowstate.Crossing.Stop) {
		return nil
	}
	return l.pauseWhere(task, func(s *workflowstate.State) (reason, why string) {
		for _, c := range s.Crossed(task, l.elapsed()) {
			if c.Stop() {
				return c.Bound, c.Text + extendAllows
			}
		}
		return "", ""
	})
}

const extendAllows = "; warp workflow extend raises the limit and continues"

// commandSetup returns how the project's commands run.
func (l *ledger) commandSetup() judge.CommandSetup {
	return judge.CommandSetup{Environ: l.Environ, Rooms: l.Rooms, Protected: l.Protected, State: l.State}
}

// command returns a project's command, limited by the time left.
func (l *ledger) command(line string) judge.Command {
	return judge.Command{Line: line, Environ: l.Environ, Left: func() time.Duration { return l.limit().Time - l.elapsed() }}
}

// outOfTime pauses the workflow for a command that the time limit ended; nil if a person has raised
// the limit meanwhile.
func (l *ledger) outOfTime(task string, e *judge.OutOfTimeError) error {
	return l.pauseWhere(task, func(s *workflowstate.State) (reason, why string) {
		if s.SafetyBounds.Limits().Time > l.elapsed() {
			return "", ""
		}
		s.SafetyBounds.Warn(s.Crossed(task, l.elapsed()))
		return workflowstate.PausedTime, fmt.Sprintf("Time at 100%% of limit, before the end of %q%s", e.Line, extendAllows)
	})
}
