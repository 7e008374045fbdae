// Package step is the atom of all engines: one way to have an agent do something.
// What protects, bounds and records a run is here, once, so that an engine is only
// a policy about when to take the next step.
//
// A step that was answered is not asked again, whatever was killed. Around each
// run the lease is checked, the guard records and restores, and the bounds of the
// work hold while the agent runs. What the run cost and changed is one synced row
// of evidence. A test holds that nothing else calls an agent's runner.
//
// What to ask, and what to make of the answer, is left to the engines.
package step

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
)

// Agents run tasks; agent.Runner is one.
type Agents interface {
	Run(ctx context.Context, t agent.Task) (agent.Result, error)
}

// Step is one thing that an agent is asked.
type Step struct {
	// Name is what the answer is kept under; "": the caller finds out by itself
	// whether it was asked.
	Name  string
	Agent string // "": the configured one
	agent.Task
	Scope guard.Scope
	Row   evidence.Run // what the row of evidence says besides
}

// Taker takes the steps of one piece of work, in one work tree.
type Taker struct {
	Agents func(name string) (Agents, error)
	Guard  *guard.Guard // nil: there is no repository
	Memory *Memory      // nil: no step has a name
	Bounds *Bounds      // shared by all takers of the work
	Lease  func() error // nil: nothing to check
	Record func(Ran) error
	// Between is told of paths that a person changed since the run before: they
	// are in no commit of ours. Nil: nobody has to know.
	Between func(paths []string) error
	Tell    func(name string, e agent.Event)
	Remark  func(format string, args ...any)
	Redact  func(string) string
	Passed  func(point string)
	Now     func() time.Time
}

// Ran is a run that is over.
type Ran struct {
	Step     *Step
	Result   agent.Result
	Outcome  guard.Outcome
	Findings []guard.Finding
}

// StoppedError says that no step is taken any more until a person has looked.
type StoppedError struct{ Why, Do string }

func (e *StoppedError) Error() string { return e.Why }

// Run takes a step. The answer tells how the run ended; the error is the context's,
// a *StoppedError, or says that the guard could not do its work.
func (t *Taker) Run(ctx context.Context, s Step) (Answer, error) {
	if s.Name != "" {
		if a, known := t.Memory.Answers[s.Name]; known {
			return t.settled(&s, a)
		}
	}
	if t.Lease != nil {
		if err := t.Lease(); err != nil {
			return Answer{}, err
		}
	}
	share, why, err := t.Bounds.begin(ctx, t.Now())
	if err != nil {
		return Answer{}, err
	}
	if why != "" {
		return Answer{Agent: "none", End: agent.Budgeted, Why: why}, nil
	}
	defer t.Bounds.end(share)
	if t.Guard != nil {
		free, why, err := t.takeTurn(ctx, share.Time)
		if err != nil || why != "" {
			return Answer{Agent: "none", End: agent.Budgeted, Why: why}, err
		}
		defer free()
	}
	ran, err := t.guarded(ctx, &s, t.Bounds.narrow(share, t.Now()))
	a := answer(ran.Result, t.Redact)
	a.Empty = t.Bounds.spent(ran.Result, len(ran.Outcome.Changed) > 0)
	a.take(ran.Outcome)
	if ran.Step != nil {
		if bad := t.Record(ran); bad != nil {
			err = errors.Join(err, bad)
		}
	}
	if err != nil {
		return a, err
	}
	if s.Name != "" && (a.End == agent.Done || a.Spends()) {
		if err := t.Memory.Keep(s.Name, a); err != nil {
			return a, err
		}
	}
	t.pass("ran " + string(s.Role))
	return a, nil
}

// settled is an answer that is known. Where the engine was killed before it had
// looked at what the run changed, the guard has done so since.
func (t *Taker) settled(s *Step, a Answer) (Answer, error) {
	if !a.Pending {
		return a, nil
	}
	a.Pending = false
	ran := Ran{Step: s, Result: agent.Result{Agent: a.Agent, End: a.End, Why: a.Why, Session: a.Session, Usage: a.Usage}}
	if t.Guard != nil {
		ran.Outcome = t.Guard.LastOutcome(s.Scope.Label)
	}
	a.take(ran.Outcome)
	if err := t.Record(ran); err != nil {
		return a, err
	}
	return a, t.Memory.Keep(s.Name, a)
}

func (a *Answer) take(o guard.Outcome) {
	a.Changed, a.Yours, a.Outside = o.Changed, o.Yours, o.Outside
}

// guarded runs an agent, and puts back what it may not have done.
func (t *Taker) guarded(ctx context.Context, s *Step, share budget.Amount) (ran Ran, err error) {
	who, err := t.Agents(s.Agent)
	if err != nil {
		return ran, err
	}
	timed := t.bind(s, share)
	scope := s.Scope
	scope.ReadOnly = scope.ReadOnly || s.ReadOnly
	report := scope.Report
	scope.Report = func(f guard.Finding) {
		ran.Findings = append(ran.Findings, f)
		if report != nil {
			report(f)
		}
	}
	var run *guard.Run
	if t.Guard != nil {
		if run, err = t.Guard.Before(ctx, scope); err != nil {
			return ran, stopped(fmt.Errorf("saving the work tree before an agent runs: %w", err))
		}
		if len(run.Between) > 0 && t.Between != nil {
			if err := t.Between(run.Between); err != nil {
				return ran, err
			}
		}
	}
	res, runErr := t.ask(ctx, who, s)
	if res.End == agent.TimedOut && timed { // not the agent's failure: the work's time is up
		res.End, res.Why = agent.Budgeted, "its time is up"
	}
	if s.Name != "" && runErr == nil && (res.End == agent.Done || res.Spends()) {
		pending := answer(res, t.Redact)
		pending.Pending = true
		if err := t.Memory.Keep(s.Name, pending); err != nil {
			return ran, err
		}
	}
	t.pass("agent ended " + string(s.Role))
	ran.Step, ran.Result = s, res
	if res.Orphans > 0 {
		scope.Report(guard.Finding{What: "orphans", Text: fmt.Sprintf("%s left %d processes behind; they were ended", res.Agent, res.Orphans)})
	}
	if run != nil {
		ran.Outcome, err = run.After(context.WithoutCancel(ctx))
	}
	if runErr != nil {
		return ran, errors.Join(runErr, err)
	}
	if err != nil {
		return ran, stopped(fmt.Errorf("restoring the work tree after an agent ran: %w", err))
	}
	if len(ran.Outcome.Outside) > 0 {
		t.Remark("changed while the agent ran, outside of what it was to change; not committed: %s", text.Quote(ran.Outcome.Outside, 5))
	}
	return ran, nil
}

// Look finds out what a person has changed since the last run, without a run: it
// is asked before something is committed or judged that no run comes before.
func (t *Taker) Look(ctx context.Context, scope guard.Scope) error {
	if t.Guard == nil {
		return nil
	}
	run, err := t.Guard.Before(ctx, scope)
	if err != nil {
		return stopped(fmt.Errorf("looking at the work tree: %w", err))
	}
	if len(run.Between) > 0 && t.Between != nil {
		err = t.Between(run.Between)
	}
	_, bad := run.After(context.WithoutCancel(ctx))
	return errors.Join(err, bad)
}

// ask runs the agent. Without a price, a bound in money that nobody asked for
// does not keep it from running: its time bounds it.
func (t *Taker) ask(ctx context.Context, who Agents, s *Step) (agent.Result, error) {
	res, err := who.Run(ctx, s.Task)
	if err == nil && res.End == agent.Unpriced && t.Bounds.withoutPrice(res.Agent, t.Remark) {
		s.Budget = agent.Budget{Tokens: s.Budget.Tokens}
		res, err = who.Run(ctx, s.Task)
	}
	return res, err
}

// How long a run may take at most, and go on after it has given its result.
const (
	runTime  = 2 * time.Hour
	runAfter = 30 * time.Second
)

// bind makes the bounds of the work those of the run. It tells whether the run's
// time is what is left of the work's.
func (t *Taker) bind(s *Step, share budget.Amount) (timed bool) {
	s.Budget = agent.Budget{MicroUSD: share.MicroUSD, Tokens: share.Tokens}
	limit := runTime
	if s.Timeout > 0 {
		limit = s.Timeout
	}
	if share.Time > 0 && share.Time <= limit {
		limit, timed = share.Time, true
	}
	s.Timeout = max(time.Second, limit)
	if s.Idle == 0 {
		s.Idle = t.Bounds.whole().Idle
	}
	if s.Linger == 0 {
		s.Linger = runAfter
	}
	return timed
}

func (t *Taker) pass(point string) {
	if t.Passed != nil {
		t.Passed(point)
	}
}

// stopped gives an error that only a person can do something about its advice.
func stopped(err error) error {
	if gone, is := guard.Gone(err); is {
		return &StoppedError{gone.Error(), gone.Advice()}
	}
	return err
}

// Bounds are what bounds a piece of work while its agents run, side by side or
// not.
type Bounds struct {
	Limit budget.Amount // of the whole work
	// Explicit: a person asked for the bound in money.
	Explicit bool
	Idle     time.Duration // that an agent may be silent
	// Spent is what the work has used so far; its time runs.
	Spent func(now time.Time) budget.Amount
	// Used says which budget beyond the work, such as the day's, is used up.
	Used    func(ctx context.Context) (why string, err error)
	Breaker *budget.Breaker
	// Within are the bounds of the whole that this is a part of, such as those of
	// a session around one of its stages; nil: it is no part.
	Within *Bounds

	mu    sync.Mutex
	purse budget.Purse
	told  bool // that a bound in money does not hold
}

// Share says how many runs may go on at once from now on.
func (b *Bounds) Share(sharers int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purse.Share(sharers)
}

// begin takes the share of one more run; why says what is used up.
func (b *Bounds) begin(ctx context.Context, now time.Time) (share budget.Amount, why string, err error) {
	if b.Within != nil {
		if why := b.Limit.Reached(b.Spent(now)); why != "" {
			return share, "nothing is left of the budget: " + why, nil
		}
		return b.Within.begin(ctx, now)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Breaker != nil {
		if why := b.Breaker.Open(); why != "" {
			return share, "", &StoppedError{why, "see what is wrong with warp agent check, then go on"}
		}
	}
	if b.Used != nil {
		if why, err = b.Used(ctx); err != nil || why != "" {
			return share, why, err
		}
	}
	left, ok := b.Limit.Left(b.Spent(now))
	if !ok {
		return share, "nothing is left of the budget: " + b.Limit.Reached(b.Spent(now)), nil
	}
	return b.purse.Take(left), "", nil
}

func (b *Bounds) end(share budget.Amount) {
	b = b.whole()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purse.Return(share)
}

// spent tells the breaker, and the caller, whether a run came to nothing.
func (b *Bounds) spent(res agent.Result, changed bool) (nothing bool) {
	b = b.whole()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Breaker == nil || res.End == "" || res.End == agent.Cancelled || res.End == agent.Budgeted || res.End == agent.Unpriced {
		return false
	}
	nothing = res.End == agent.NoAgent || res.End == agent.NoLogin || res.End != agent.Done && !changed && res.Usage.Tokens() == 0 && res.Text == "" && res.Usage.MicroUSD == 0
	b.Breaker.Ran(nothing, fmt.Sprintf("%s: %s (%s)", res.Agent, text.Opening(res.Why), res.End))
	return nothing
}
