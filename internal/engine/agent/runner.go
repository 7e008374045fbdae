package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/redact"
	"warp/internal/core/tokens"
	"warp/internal/durable"
	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
)

// Runner runs tasks on the agents of a chain.
type Runner struct {
	Adapters []Adapter // the chain: the first, then its fallbacks
	Store    *durable.Store
	Now      func() time.Time
	Asleep   func() time.Duration // how much of it was slept; nil: as the system says
	Started  durable.Started
	PID      int
	Environ  []string // what children inherit
	Host     string
	Prices   tokens.PriceTable // of agents that tell none; nil: price.Default
	Walls    *contain.Walls    // what confines the agents; nil: nothing does
	// Preset is the model and the effort of a role, where a task names none; nil: the
	// agent's own choice. It is asked with the agent's name: models are of one agent.
	Preset func(agent string, role Role) (model, effort string)
	// Redact takes secrets out of what is kept and told; nil: those of Environ.
	Redact *redact.Redactor
	// Watch sees every event as it comes; nil: not called.
	Watch func(agent string, e Event)
	// Wait returns when the time has come, or the context's error. Why says
	// to people what is waited for.
	Wait func(ctx context.Context, until time.Time, why string) error
	// LongestWait is how long a limit of the account is waited for; 0: as long as the task
	// has time.
	LongestWait time.Duration
}

// night is how long limits are waited for where the task does not say.
const night = 8 * time.Hour

// Run asks the agents of the chain until one has answered or none is left. The
// error is the context's, or says that nothing could be run at all.
func (r *Runner) Run(ctx context.Context, t Task) (Result, error) {
	if len(r.Adapters) == 0 {
		return Result{End: NoAgent, Why: "no agent is configured"}, nil
	}
	r.prune()
	if t.Until.IsZero() {
		t.Until = r.Now().Add(night)
	}
	spent := nothing
	t.allow = &allowance{ask: t.More, budget: t.Budget}
	res, err := r.chain(ctx, t, &spent)
	res.Usage = spent
	if told, ok := errorclass.ResetTime(res.Why, r.Now()); ok && res.Limited() && res.Reset.IsZero() {
		res.Reset = told
	}
	return res, err
}

// replaceable are the ends after which the next agent is tried.
var replaceable = []End{Limited, APIError, Unpriced, NoAgent, NoLogin, NoCredit, NoModel}

// chain asks one agent after the other. When none of them could do anything, the
// first that has only met a limit is waited for after all.
func (r *Runner) chain(ctx context.Context, t Task, spent *Usage) (Result, error) {
	var last Result
	var limited Adapter
	var wait Task
	for i, a := range r.Adapters {
		res, err := r.persist(ctx, a, t, spent, i < len(r.Adapters)-1)
		if err != nil {
			return res, err
		}
		last = res
		if !slices.Contains(replaceable, res.End) {
			return res, nil
		}
		if res.Limited() && limited == nil {
			limited, wait = a, t
			wait.Session = cmp.Or(res.Session, t.Session)
		}
		t.Session = "" // another agent has another memory
		if tell := r.tell(t); tell != nil && i < len(r.Adapters)-1 {
			tell(a.Name(), Event{Kind: "note", Text: fmt.Sprintf("%s: %s (%s); falling back to %s", a.Name(), res.Why, res.End, r.Adapters[i+1].Name())})
		}
	}
	if limited != nil && !last.Limited() {
		return r.persist(ctx, limited, wait, spent, false)
	}
	return last, nil
}

// persist asks one agent, again where waiting helps. With others to fall back
// on, a limit is not waited for.
func (r *Runner) persist(ctx context.Context, a Adapter, t Task, spent *Usage, others bool) (Result, error) {
	if r.Preset != nil {
		model, effort := r.Preset(a.Name(), t.Role)
		t.Model, t.Effort = cmp.Or(t.Model, model), cmp.Or(t.Effort, effort)
	}
	if why := r.unpriced(a, t); why != "" {
		return Result{Agent: a.Name(), End: Unpriced, Why: why, Usage: nothing}, nil
	}
	patience := t.Until.Sub(r.Now())
	tried := attempts{Runner: r, others: others, failed: map[errorclass.Class]int{}, nap: proc.NewSleepMeter(r.Asleep)}
	for {
		whole, left, ok := t.allow.left(spent.Spent())
		if !ok {
			return Result{Agent: a.Name(), End: Budgeted, Session: t.Session, Why: "the budget is spent"}, nil
		}
		attempt := t
		attempt.Budget, attempt.before = left, spent.Spent()
		res, err := r.once(ctx, a, attempt)
		spent.Add(res.Usage)
		if err != nil {
			return res, err
		}
		if res.End == Budgeted && t.allow.raised(whole) { // an agent may end by itself at what it was given
			t.Session = cmp.Or(res.Session, t.Session)
			continue
		}
		slept := tried.nap.Uncounted()
		tried.nap.Count(slept)
		t.Until = t.Until.Add(slept)
		at, why, again := tried.next(&res, slept > 0)
		if !again {
			return res, nil
		}
		if r.LongestWait > 0 && res.Limited() && at.Sub(r.Now()) > r.LongestWait {
			return res, nil
		}
		if patience -= at.Sub(r.Now()); res.Limited() && (patience < 0 || at.After(t.Until)) && at.Sub(r.Now()) > t.allow.moreTime() {
			res.Why += fmt.Sprintf("; the next try would be at %s, but warp waits for limits only until %s", clock(at), clock(t.Until))
			return res, nil
		}
		if res.Session != "" {
			t.Session = res.Session
		}
		over := t.waits(Wait{Why: why, Until: at})
		err = r.Wait(ctx, at, why)
		over()
		if err != nil {
			res.End = Cancelled
			return res, err
		}
	}
}

func clock(t time.Time) string { return t.Local().Format("Jan 2 15:04") }

// nextOfClass is next for what would be the n-th try of its class.
func (r *Runner) nextOfClass(res Result, n int, others bool) (at time.Time, why string, again bool) {
	now := r.Now()
	switch {
	case res.End == Limited && others:
		return at, "", false
	case res.End == Limited:
		at, why = limitOver(res, n, now)
		return at, res.Agent + ": usage limit" + why, true
	case res.Limited() && !others:
		return errorclass.RateLimitOver(n, now, res.Why), fmt.Sprintf("%s: %s", res.Agent, res.Class), true
	case res.End == APIError:
		at, again = errorclass.NextRetry(res.Class, n, now, res.Why)
		return at, fmt.Sprintf("%s: %s", res.Agent, res.Class), again
	}
	return at, "", false
}

// unknownReset is how long a limit is waited for that does not say when it ends.
const unknownReset = 15 * time.Minute

// limitOver is when a usage limit ends: as reported, by an event or in words.
func limitOver(res Result, n int, now time.Time) (at time.Time, why string) {
	at = res.Reset
	if told, ok := errorclass.ResetTime(res.Why, now); ok && at.IsZero() {
		at = told
	}
	switch {
	case at.IsZero():
		return now.Add(unknownReset), ", its end is unknown"
	case !at.After(now): // two clocks that differ: not at once, and ever later
		return now.Add(errorclass.Pause(n)), ", its end has just passed"
	}
	return at, ""
}

// What ends a run in its middle.
var (
	errBudget   = errors.New("the budget is spent")
	errUnpriced = errors.New("the price is unknown")
	errLingers  = errors.New("it answered but does not end")
)
