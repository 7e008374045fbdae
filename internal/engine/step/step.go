// Package step is what all engines are built on: one way to have an agent do something. It
// protects, bounds and records every run, so that an engine only decides when to take the next
// step.
//
// An answered step is not asked again, whatever was killed. Around each run the lease is checked,
// the guard records and restores, and the work's limits apply while the agent runs. What the run
// cost and changed is one synced row of evidence. A test ensures that nothing else calls an agent's
// runner.
//
// The engines decide what to ask, and what to do with the answer.
package step

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/budget"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/sys/sandbox"
)

// Agents run tasks; agent.Runner implements it.
type Agents interface {
	Run(ctx context.Context, t agent.Task) (agent.Result, error)
}

// Step is one task for an agent.
type Step struct {
	// Name is the key of the saved answer; "": the caller knows whether it was asked.
	Name  string
	Agent string // "": the configured one
	agent.Task
	Scope guard.Scope
	Row   evidence.Run // further fields of the row of evidence
	Again bool         // it asks for what an answer lacked
	// Hidden means that nothing of what it says is shown: it is about a test that a coder must not see.
	Hidden bool
}

// Taker runs the steps of one piece of work, in one work tree.
type Taker struct {
	Agents func(name string) (Agents, error)
	Guard  *guard.Guard // nil: no repository
	Memory *Memory      // nil: no step has a name
	Bounds *Bounds      // shared by all takers of the work
	Lease  func() error // nil: nothing to check
	Live   *Live        // shows what agents do; may be nil
	Record func(Ran) error
	Begins func(s *Step) // called when an agent is asked; may be nil
	// Between receives the paths that a person changed since the last run: they are in no commit of
	// ours. May be nil.
	Between func(paths []string) error
	// Waiting receives what the step waits for (a limit, an unreachable API, its turn in the work
	// tree), or a zero Wait when it works again. May be nil.
	Waiting func(agent.Wait)
	Remark  func(format string, args ...any)
	Redact  func(string) string
	Passed  func(point string)
	Now     func() time.Time
	Asleep  func() time.Duration // how much of that time the machine slept; nil: as the system says
}

// Ran is a finished run.
type Ran struct {
	Step     *Step
	Result   agent.Result
	Outcome  guard.Outcome
	Findings []guard.Finding
	Unread   string // why its answer cannot be used; "": it can
}

// StoppedError means that no further step is taken until a person has looked.
type StoppedError struct{ Why, Do string }

func (e *StoppedError) Error() string { return e.Why }

// runOnce runs a step one time, or returns its saved answer.
func (t *Taker) runOnce(ctx context.Context, s Step) (Answer, error) {
	if s.Name != "" {
		if a, known := t.Memory.Answers[s.Name]; known {
			return t.settlePending(&s, a)
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
	defer t.Bounds.end(&share)
	s.Waiting, s.Of = t.tellWait, s.Row.Work
	s.More = func() budget.Amount { return t.Bounds.more(&share, t.Now()) }
	if t.Guard != nil {
		free, why, err := t.takeTurn(ctx, share.Time)
		if err != nil || why != "" {
			return Answer{Agent: "none", End: agent.Budgeted, Why: why}, err
		}
		defer free()
	}
	defer t.showRun(&s)()
	if t.Begins != nil {
		t.Begins(&s)
	}
	ran, err := t.runGuarded(ctx, &s, t.Bounds.narrow(share.Amount, t.Now()))
	a := keptAnswer(ran.Result, t.Redact)
	if a.Outcome = ran.Outcome; !s.Again { // to ask again is no further try
		a.Empty = t.Bounds.wasEmpty(ran.Result, len(ran.Outcome.Changed) > 0)
	}
	if ran.Unread = s.examine(&a).why; ran.Step != nil {
		err = errors.Join(err, t.Record(ran))
	}
	if err == nil {
		err = t.saveAnswer(&s, a)
	}
	if err == nil {
		t.pass("ran " + string(s.Role))
	}
	return a, err
}

// saveAnswer saves the answer of a named step, unless it is to be asked again.
func (t *Taker) saveAnswer(s *Step, a Answer) error {
	if s.Name == "" || a.Failed() && !a.Spends() {
		return nil
	}
	return t.Memory.Keep(s.Name, a)
}

// settlePending returns a saved answer. If the engine was killed before it examined what the run
// changed, the guard has done so since.
func (t *Taker) settlePending(s *Step, a Answer) (Answer, error) {
	if !a.Pending {
		return a, nil
	}
	a.Pending = false
	if t.Guard != nil {
		a.Outcome = t.Guard.LastOutcome(s.Scope.Label)
	}
	ran := Ran{Step: s, Result: agent.Result{Agent: a.Agent, End: a.End, Why: a.Why, Session: a.Session, Usage: a.Usage, JSON: a.result()}, Outcome: a.Outcome, Unread: s.examine(&a).why}
	if err := t.Record(ran); err != nil {
		return a, err
	}
	return a, t.Memory.Keep(s.Name, a)
}

// runGuarded runs an agent, and reverts what it may not have done.
func (t *Taker) runGuarded(ctx context.Context, s *Step, share budget.Amount) (ran Ran, err error) {
	who, err := t.Agents(s.Agent)
	if err != nil {
		return ran, err
	}
	outOfTime := t.applyBounds(s, share)
	scope := s.Scope
	scope.ReadOnly = scope.ReadOnly || s.ReadOnly
	if w, ok := who.(interface{ Holds() sandbox.Holds }); ok && t.Guard != nil {
		scope.Contained = t.Guard.Main != "" && w.Holds() == sandbox.Contained
	}
	scope.Report = func(f guard.Finding) {
		ran.Findings = append(ran.Findings, f)
		if s.Scope.Report != nil {
			s.Scope.Report(f)
		}
	}
	run, err := t.before(ctx, scope)
	if err != nil {
		return ran, err
	}
	res, runErr := t.ask(ctx, who, s)
	res.JSON = answer.Name(s.Role, s.Criteria, res.JSON)
	if res.End == agent.TimedOut && outOfTime() { // not the agent's failure: the work's time is up
		res.End, res.Why = agent.Budgeted, "its time is up"
	}
	if runErr == nil {
		pending := keptAnswer(res, t.Redact)
		pending.Pending = true
		runErr = t.saveAnswer(s, pending)
	}
	t.pass("agent ended " + string(s.Role))
	ran.Step, ran.Result = s, res
	if res.Orphans > 0 {
		scope.Report(guard.Finding{What: "orphans", Text: fmt.Sprintf("%s left %s behind, which warp ended", res.Agent, text.Count(res.Orphans, "process"))})
	}
	if run != nil {
		ran.Outcome, err = run.After(context.WithoutCancel(ctx))
	}
	if runErr != nil {
		return ran, errors.Join(runErr, err)
	}
	if err != nil {
		return ran, stopped("restoring the work tree after an agent ran", err)
	}
	if len(ran.Outcome.Outside) > 0 {
		t.Remark("changed while the agent ran, but outside its task; not committed: %s", text.Quote(ran.Outcome.Outside, 5))
	}
	return ran, nil
}

// before has the guard record the present state, and reports what a person changed since the last
// run; nil without a repository.
func (t *Taker) before(ctx context.Context, scope guard.Scope) (*guard.Run, error) {
	if t.Guard == nil {
		return nil, nil
	}
	run, err := t.Guard.Before(ctx, scope)
	if err != nil {
		return nil, stopped("saving the work tree before an agent runs", err)
	}
	if len(run.Between) > 0 && t.Between != nil {
		if err := t.Between(run.Between); err != nil {
			_, bad := run.After(context.WithoutCancel(ctx))
			return nil, errors.Join(err, bad)
		}
	}
	return run, nil
}

// FindPersonChanges finds what a person changed since the last run, without a run. It is called
// before committing or judging something that no run precedes.
func (t *Taker) FindPersonChanges(ctx context.Context, scope guard.Scope) error {
	run, err := t.before(ctx, scope)
	if run != nil {
		_, err = run.After(context.WithoutCancel(ctx))
	}
	return err
}

// ask runs the agent. If its price is unknown, a money limit that no person set does not stop it:
// the time limit still applies.
func (t *Taker) ask(ctx context.Context, who Agents, s *Step) (agent.Result, error) {
	res, err := who.Run(ctx, s.Task)
	if err == nil && res.End == agent.Unpriced && t.Bounds.withoutPrice(res.Agent, t.Remark) {
		s.Budget = agent.Budget{Tokens: s.Budget.Tokens}
		res, err = who.Run(ctx, s.Task)
	}
	return res, err
}

func (t *Taker) pass(point string) {
	if t.Passed != nil {
		t.Passed(point)
	}
}

// stopped adds advice to an error that only a person can resolve.
func stopped(doing string, err error) error {
	if gone, is := errors.AsType[*guard.GoneError](err); is {
		return &StoppedError{gone.Error(), gone.Advice()}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// maxWhy bounds the reason for a failed run in a row of evidence, in characters.
const maxWhy = 500

// Evidence returns the run's row: what its step says about it, and its result.
func (r Ran) Evidence(redact func(string) string) evidence.Run {
	row, u := r.Step.Row, r.Result.Usage
	row.Role, row.Agent, row.Model, row.Session = string(r.Step.Role), r.Result.Agent, u.Model, r.Result.Session
	row.End, row.Why, row.Criteria = string(r.Result.End), text.Clip(redact(r.Result.Why), maxWhy), r.Step.Criteria
	row.Input, row.Output, row.CacheRead, row.CacheWrite = u.Input, u.Output, u.CacheRead, u.CacheWrite
	row.MicroUSD, row.Unpriced, row.Turns = u.MicroUSD, !u.Priced, u.Turns
	row.Seconds, row.Denials, row.Orphans, row.Log = r.Result.Duration.Seconds(), len(r.Result.Denials), r.Result.Orphans, r.Result.Log
	row.Holds, row.Hooks = r.Result.Holds, r.Result.Hooks
	row.Unread, row.Again = text.Clip(redact(r.Unread), maxWhy), r.Step.Again
	addSaid(&row, r.Result.JSON, redact)
	return row
}

const (
	maxSaid  = 2_000 // of one text in a row of evidence, in characters
	mostSaid = 200   // of a list
)

// addSaid adds what the agent said of its work.
func addSaid(row *evidence.Run, v *lossless.Value, redact func(string) string) {
	said := func(name string) string { return text.Clip(redact(v.Get(name).Text()), maxSaid) }
	list := func(name string) (list []string) {
		if x := v.Get(name); x != nil {
			for _, e := range x.Elems[:min(len(x.Elems), mostSaid)] {
				list = append(list, text.Clip(redact(e.Text()), maxSaid))
			}
		}
		return list
	}
	row.Summary, row.Commit, row.Objection = said("summary"), said("commit"), said("objection")
	row.Files, row.DoneIDs = list("files"), list("done")
}
