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

// Roles is what single roles have of their own.
type Roles struct {
	Own map[Role]Adapter // the agents; a runner's others are their fallbacks
	// Preset returns a role's model and effort if a task names none; may be nil. It gets the
	// agent's name, because models belong to one agent.
	Preset func(agent string, role Role) (model, effort string)
	// Private is where the runs of checkers are kept, which no other agent may read; "": with the
	// others.
	Private string
}

// Runner runs tasks on the agents of a chain.
type Runner struct {
	Adapters []Adapter // the first, then its fallbacks
	Roles
	Store   *durable.Store
	Now     func() time.Time
	Asleep  func() time.Duration // how much of that time the machine slept; nil: as the system says
	Started durable.Started
	PID     int
	Environ []string // inherited by children
	Host    string
	Prices  tokens.PriceTable // of agents that report none; nil: tokens.DefaultPrices
	Walls   *contain.Walls    // confines the agents; nil: nothing does
	// Redact removes secrets from what is kept and shown; nil: those of Environ.
	Redact *redact.Redactor
	// Watch receives every event; may be nil.
	Watch func(agent string, e Event)
	// Wait waits until a time, or returns the context's error. why tells people what it waits for.
	Wait func(ctx context.Context, until time.Time, why string) error
	// LongestWait is how long to wait for an account limit; 0: as long as the task has time.
	LongestWait time.Duration
}

// night is how long to wait for limits if the task does not say.
const night = 8 * time.Hour

// Run asks the agents of the chain until one has answered or none is left. It fails if the context
// ended, or if nothing could be run at all.
func (r *Runner) Run(ctx context.Context, t Task) (Result, error) {
	if len(r.chainFor(t)) == 0 {
		return Result{End: NoAgent, Why: "no agent is configured"}, nil
	}
	r.prune()
	if t.Until.IsZero() {
		t.Until = r.Now().Add(night)
	}
	spent := noUsage
	t.allow = &allowance{ask: t.More, budget: t.Budget}
	res, err := r.runChain(ctx, t, &spent)
	res.Usage = spent
	if told, ok := errorclass.ResetTime(res.Why, r.Now()); ok && res.Limited() && res.Reset.IsZero() {
		res.Reset = told
	}
	return res, err
}

// chainFor returns the agents to ask for a task, in order.
func (r *Runner) chainFor(t Task) []Adapter {
	chain := slices.Clone(r.Adapters)
	if own := r.Own[t.Role]; own != nil {
		chain = append([]Adapter{own}, slices.DeleteFunc(chain, func(a Adapter) bool { return a.Name() == own.Name() })...)
	}
	chain = slices.DeleteFunc(chain, func(a Adapter) bool { return t.Except != "" && a.Name() == t.Except })
	isFirst := func(a Adapter) int {
		if a.Name() == t.First {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(chain, func(a, b Adapter) int { return isFirst(a) - isFirst(b) })
	return chain
}

// First returns the name of the agent that a role is given to; "" if there is none.
func (r *Runner) First(role Role) string {
	if chain := r.chainFor(Task{Role: role}); len(chain) > 0 {
		return chain[0].Name()
	}
	return ""
}

// HasOther reports whether the chain has another agent than the named one.
func (r *Runner) HasOther(name string) bool {
	return len(r.chainFor(Task{Work: Work{Door: Door{Except: name}}})) > 0
}

// replaceable are the ends after which the next agent is tried.
var replaceable = []End{Limited, APIError, Unpriced, NoAgent, NoLogin, NoCredit, NoModel}

// runChain asks one agent after the other. If none could do anything, it waits for the first that
// only met a limit.
func (r *Runner) runChain(ctx context.Context, t Task, spent *Usage) (Result, error) {
	var last Result
	var limited Adapter
	var wait Task
	chain := r.chainFor(t)
	for i, a := range chain {
		res, err := r.runWithRetries(ctx, a, t, spent, i < len(chain)-1)
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
		t.Session, t.Prompt, t.Whole = "", cmp.Or(t.Whole, t.Prompt), "" // another agent does not know the session
		if tell := r.tell(t); tell != nil && i < len(chain)-1 {
			tell(a.Name(), Event{Kind: "note", Text: fmt.Sprintf("%s: %s (%s); falling back to %s", a.Name(), res.Why, res.End, chain[i+1].Name())})
		}
	}
	if limited != nil && !last.Limited() {
		return r.runWithRetries(ctx, limited, wait, spent, false)
	}
	return last, nil
}

// runWithRetries asks one agent, repeatedly if waiting helps. With others to fall back on, it does
// not wait for limits.
func (r *Runner) runWithRetries(ctx context.Context, a Adapter, t Task, spent *Usage, others bool) (Result, error) {
	if r.Preset != nil {
		model, effort := r.Preset(a.Name(), t.Role)
		t.Model, t.Effort = cmp.Or(t.Model, model), cmp.Or(t.Effort, effort)
	}
	if why := r.whyUnpriced(a, t); why != "" {
		return Result{Agent: a.Name(), End: Unpriced, Why: why, Usage: noUsage}, nil
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
		res, err := r.runOnce(ctx, a, attempt)
		spent.Add(res.Usage)
		if err != nil {
			return res, err
		}
		if res.End == Budgeted && t.allow.raised(whole) { // an agent may stop itself at its budget
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
		over := t.reportWait(Wait{Why: why, Until: at})
		err = r.Wait(ctx, at, why)
		over()
		if err != nil {
			res.End = Cancelled
			return res, err
		}
	}
}

func clock(t time.Time) string { return t.Local().Format("Jan 2 15:04") }

// nextRetry is next for the n-th try of its class.
func (r *Runner) nextRetry(res Result, n int, others bool) (at time.Time, why string, again bool) {
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

// unknownReset is how long to wait for a limit without a known end.
const unknownReset = 15 * time.Minute

// limitOver returns when a usage limit ends, from an event or from the text.
func limitOver(res Result, n int, now time.Time) (at time.Time, why string) {
	at = res.Reset
	if told, ok := errorclass.ResetTime(res.Why, now); ok && at.IsZero() {
		at = told
	}
	switch {
	case at.IsZero():
		return now.Add(unknownReset), ", its end is unknown"
	case !at.After(now): // the clocks differ: retry later and later, not at once
		return now.Add(errorclass.Pause(n)), ", its end has just passed"
	}
	return at, ""
}

// Reasons to end a run early.
var (
	errBudget   = errors.New("the budget is spent")
	errUnpriced = errors.New("the price is unknown")
	errLingers  = errors.New("it answered but did not exit")
)
