package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/learning"
	"warp/internal/core/sessionstate"
	"warp/internal/core/sessionstate/progressfile"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// Body does the work of an iteration.
type Body interface {
	Iterate(ctx context.Context, it Iteration) (Outcome, error)
}

// Iteration is one turn of a loop.
type Iteration struct {
	Number int
	Again  bool // started before, but not recorded
}

// Outcome is the result of an iteration.
type Outcome struct {
	Row       sessionstate.Row
	Spent     budget.Amount
	Files     []string // changed files
	Learnings []learning.Said
	Commit    string // the agent's subject for its commit
	// Unreadable means that the row's summary is not the agent's.
	Unreadable bool
	// Stop ends the loop regardless of its strategy; nil: the strategy decides.
	Stop *sessionstate.Decision
	// Pause says why a person should look before the next iteration.
	Pause string
}

// rules decide when a unit ends.
type rules struct {
	until  sessionstate.Until
	bounds sessionstate.Bounds
	queue  Queue // nil: no queue
}

// runUnit runs a unit's iterations until its strategy or a limit ends it.
func (r *run) runUnit(ctx context.Context, i int) (sessionstate.Decision, error) {
	u := r.files.units[i]
	rules, err := r.rules(i)
	if err != nil {
		return sessionstate.Decision{}, err
	}
	body, err := r.body(ctx, i, rules)
	if err != nil {
		return sessionstate.Decision{}, err
	}
	if c, ok := body.(io.Closer); ok {
		defer func() { _ = c.Close() }() // its resources end with the process
	}
	if err := r.files.startProgress(u, unrecordedLessons(r, i)); err != nil {
		return sessionstate.Decision{}, err
	}
	if it, ok := body.(*iterating); ok {
		if err := it.checkReady(ctx, i); err != nil {
			return sessionstate.Decision{}, err
		}
	}
	d, err := r.iterate(ctx, i, rules, body)
	if err == nil && sessionstate.Succeeds(d.Reason) && (u.gathers == nil || u.choice() != nil) {
		// A choice is checked again where it was applied: its member worked in another work tree.
		it, ok := body.(*iterating)
		if !ok {
			it = r.iterating(ctx, i, rules)
		}
		err = it.checkEnd(ctx)
	}
	return d, err
}

// errNothingToDo means that an iteration has no item: its queue was emptied after it started.
var errNothingToDo = errors.New("there is nothing to do")

// iterate runs one iteration after the other. A started iteration is finished before asking whether
// to continue: a queue is empty once its last item is closed, and a session killed then could never
// end (issue #16).
func (r *run) iterate(ctx context.Context, i int, rules rules, body Body) (d sessionstate.Decision, err error) {
	u := r.files.units[i]
	for {
		number, again := r.doc.Now().Resumable(i)
		if !again {
			if d, err = r.decideNext(ctx, i, rules); err != nil || d.Stop {
				return d, err
			}
		}
		if number > 1 && !again {
			select {
			case <-ctx.Done():
			case <-time.After(u.stage.Delay):
			}
		}
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
		r.spending.startSleepMeter(i)
		if err := r.doc.Update("iteration_started", func(s *sessionstate.State) error {
			if s.Paused != nil {
				return ErrPaused
			}
			number, err = s.StartIteration(i, r.Now())
			return err
		}); err != nil {
			return d, err
		}
		r.tell(Note{Kind: Iterating, Stage: u.shown, Iteration: number, Most: u.stage.Runs})
		out, err := body.Iterate(ctx, Iteration{Number: number, Again: again})
		if errors.Is(err, errNothingToDo) {
			if err := r.doc.Update("iteration_withdrawn", func(s *sessionstate.State) error { return s.WithdrawIteration(i) }); err != nil {
				return d, err
			}
			continue
		}
		if err == nil {
			err = r.recordIteration(i, number, out)
		}
		switch {
		case err != nil:
			return d, err
		case out.Stop != nil && out.Stop.Stop:
			return *out.Stop, nil
		case out.Row.End == string(agent.Budgeted): // neither the agent's failure nor done
			return sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonBudget, Why: out.Row.Summary}, nil
		case out.Pause != "":
			if err := r.doc.Update("paused", func(s *sessionstate.State) error { return s.Pause(r.Now()) }); err != nil {
				return d, err
			}
			return d, fmt.Errorf("%w: %s", ErrPaused, out.Pause)
		}
	}
}

// rules returns a unit's strategy and limits. A started unit may get further iterations beyond its
// limit, and a new total.
func (r *run) rules(i int) (rules, error) {
	u := r.files.units[i]
	if u.gathers != nil {
		return rules{until: sessionstate.Until{Kind: sessionstate.Fixed, N: 1}, bounds: sessionstate.Bounds{MaxIterations: 1}}, nil
	}
	until, err := sessionstate.ParseUntil(u.stage.Until)
	if err != nil {
		return rules{}, fmt.Errorf("stage %s: until: %w", u.name, err)
	}
	if u.stage.MinIterations > 0 {
		until.Min = u.stage.MinIterations
	}
	runs := u.stage.Runs
	raised := false
	if s := r.doc.Now(); s != nil && r.More > 0 {
		if st, err := s.Stage(i); err == nil && st.IterationCompleted > 0 {
			raised, runs = true, max(1, st.IterationCompleted-st.Counts.Retried+r.More) // retries do not count against the limit
		}
	}
	if until.Kind == sessionstate.Fixed && (until.N == 0 || raised) {
		until.N = runs // with its own number, a higher limit does not raise it
	}
	most := budget.Amount{MicroUSD: u.stage.MaxCost, Time: u.stage.MaxTime}
	if r.Limit.MicroUSD > 0 {
		most.MicroUSD = 0
	}
	if r.Limit.Time > 0 {
		most.Time = 0
	}
	out := rules{until: until, bounds: sessionstate.Bounds{MaxIterations: runs, Most: most, NoProgress: u.stage.NoProgress}}
	if until.Kind == sessionstate.Queue {
		out.queue, err = r.held.queue(until)
	}
	return out, err
}

func (r *run) iterating(ctx context.Context, i int, ru rules) *iterating {
	taker := r.taker(ctx, i, r.shield.guard, r.spending.within(i, ru.bounds.Most))
	return &iterating{run: r, unit: r.files.units[i], dir: r.dir, lane: r.lanes.own, rules: ru, taker: taker}
}

func (r *run) body(ctx context.Context, i int, ru rules) (Body, error) {
	u := r.files.units[i]
	it := r.iterating(ctx, i, ru)
	taker, bounds := it.taker, it.taker.Bounds
	if u.gathers != nil {
		return &gathering{run: r, unit: u, taker: taker}, nil
	}
	if ru.until.Kind != sessionstate.Gates || r.Gates == nil {
		return it, nil
	}
	base, err := r.shield.baseTree(ctx, i)
	if err != nil {
		return nil, err
	}
	retried := 0
	if st, err := r.doc.Now().Stage(i); err == nil {
		retried = st.Counts.Retried
	}
	return r.Gates(GatesStage{Session: r.Name, Name: u.shown, Task: r.reads.taskOf(u, r.dir), Agent: u.stage.Agent, Model: u.stage.Model, Dir: r.dir,
		Progress: r.reads.shownPath(r.dir, r.files.path(u.progress)), Most: u.stage.Runs + r.More + retried, Passes: ru.until.N, Guard: r.shield.guard, Base: base, Lease: r.lease,
		TimeLeft: func() (time.Duration, error) { return r.spending.timeLeft(bounds) },
		Ask: func(ctx context.Context, known *step.Memory, s step.Step) (step.Answer, error) {
			t := *taker
			t.Memory = known
			number, _ := r.doc.Now().Resumable(i)
			return r.ask(ctx, &t, u, number, s)
		}})
}

// decideNext decides whether a unit continues. The session's own limits apply to all of its stages
// together.
func (r *run) decideNext(ctx context.Context, i int, ru rules) (sessionstate.Decision, error) {
	bounds := r.spending.bounds
	if why := bounds.Broken(); why != "" {
		return sessionstate.Decision{}, &step.StoppedError{Why: why, Do: "run warp agent check to see what is wrong, then warp sessions resume " + r.Name}
	}
	f := r.doc.Now().Facts(i, r.Now())
	var ready []Item
	held := 0
	if ru.queue != nil {
		var err error
		if ready, held, err = ru.queue.Ready(ctx); err != nil {
			return sessionstate.Decision{}, err
		}
		f.Queue = new(len(ready))
	}
	d := sessionstate.Decide(ru.until, ru.bounds, f)
	switch {
	case f.Queue == nil:
	case len(ready) == 0 && d.Stop:
		d.Why = describeLeftovers(0, held)
	case !d.Stop && len(r.dropExhaustedItems(ready)) == 0: // the rest is not for this session to do
		d = sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonFailed, Why: describeLeftovers(len(ready), held)}
	}
	if why := bounds.Limit.Reached(bounds.Spent(r.Now())); !d.Stop && why != "" {
		d = sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonBudget, Why: "the session's budget is spent: " + why}
	}
	return d, nil
}

// recordIteration records an iteration: in the progress file for the next agent, then in the
// document, which is authoritative. Repeating it after a crash adds nothing.
func (r *run) recordIteration(i, number int, out Outcome) error {
	changed, err := r.files.restoreDefinition(r.Files)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		r.remark("changed since the session was started, and restored: %s", strings.Join(changed, ", "))
	}
	u := r.files.units[i]
	out.Row.Iteration = number
	row := out.Row
	row.Unseen = !row.Changed && (r.shield.guard == nil || u.gathers != nil)
	if u.gathers == nil {
		summary := row.Summary
		if row.End != "" {
			summary = strings.TrimSpace("The agent's run failed (" + row.End + "). " + summary)
		} else if row.Gates == sessionstate.Fail {
			summary = strings.TrimSpace(summary + " (The checks failed afterwards.)")
		}
		if err := r.files.appendProgress(u, u.progress, progressfile.Section{
			Iteration: number, At: r.Now(), Items: row.Items, Summary: summary, Files: out.Files, Learnings: saveLessons(r, u, number, out),
		}); err != nil {
			return err
		}
		r.Passed("progress_written")
	}
	slept := r.spending.slept(i)
	if err := r.doc.Update("iteration_completed", func(s *sessionstate.State) error {
		if err := s.AddAsleep(i, slept); err != nil {
			return err
		}
		return s.CompleteIteration(i, row, out.Spent, r.Now())
	}); err != nil {
		return err
	}
	r.spending.charge(i, nil)
	if slept > 0 {
		r.remark("%s", text.Asleep(slept))
	}
	r.tell(Note{Kind: Ran, Stage: u.shown, Iteration: number, Agent: row.Agent, Row: &row})
	return nil
}
