package step

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// Bounds limit a piece of work while its agents run, in parallel or not.
type Bounds struct {
	Limit budget.Amount // of the whole work
	// Raised returns the limit in force, if a person can raise it during runs; may be nil.
	Raised func() budget.Amount
	// Explicit means a person set the money limit.
	Explicit bool
	Idle     time.Duration // how long an agent may be silent
	// Spent returns what the work has used so far, including its running time.
	Spent func(now time.Time) budget.Amount
	// Used returns which budget beyond the work, such as the day's, is used up.
	Used    func(ctx context.Context) (why string, err error)
	Breaker *budget.Breaker
	// Within are the bounds of the whole that this is part of, such as a session's around one of
	// its stages; may be nil.
	Within *Bounds

	mu   sync.Mutex
	pool budget.Pool
	told bool // that a money limit does not apply
}

// limit returns the limit in force.
func (b *Bounds) limit() budget.Amount {
	if b.Raised != nil {
		return b.Raised()
	}
	return b.Limit
}

func (b *Bounds) outermost() *Bounds {
	for b.Within != nil {
		b = b.Within
	}
	return b
}

// Share sets how many runs may share the budget from now on.
func (b *Bounds) Share(sharers int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pool.Share(sharers)
}

// Left returns what the work may still use; false if a limit is reached.
func (b *Bounds) Left(now time.Time) (budget.Amount, bool) {
	left, ok := b.limit().Left(b.Spent(now))
	if b.Within != nil {
		whole, still := b.Within.Left(now)
		return left.Least(whole), ok && still
	}
	return left, ok
}

// IsTimeUp reports whether the whole work's time is used up, but not its money.
func (b *Bounds) IsTimeUp(now time.Time) bool {
	b = b.outermost()
	limit, spent := b.limit(), b.Spent(now)
	paid := budget.Amount{MicroUSD: limit.MicroUSD, Tokens: limit.Tokens}
	return paid.Reached(spent) == "" && limit.Reached(spent) != ""
}

// Broken returns why no further run starts, because earlier ones did nothing, or "".
func (b *Bounds) Broken() string {
	if b = b.outermost(); b.Breaker == nil {
		return ""
	}
	return b.Breaker.Open()
}

// begin takes one more run's share; why says what is used up.
func (b *Bounds) begin(ctx context.Context, now time.Time) (s share, why string, err error) {
	if b.Within != nil {
		if why := b.limit().Reached(b.Spent(now)); why != "" {
			return s, "the budget is spent: " + why, nil
		}
		return b.Within.begin(ctx, now)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if why := b.Broken(); why != "" {
		return s, "", &StoppedError{why, "find the cause with warp agent check"}
	}
	if b.Used != nil {
		if why, err = b.Used(ctx); err != nil || why != "" {
			return s, why, err
		}
	}
	limit := b.limit()
	left, ok := limit.Left(b.Spent(now))
	if !ok {
		return s, "the budget is spent: " + limit.Reached(b.Spent(now)), nil
	}
	return share{b.pool.Take(left), limit}, "", nil
}

// share is what one run may use of the work's budget.
type share struct {
	budget.Amount
	limit budget.Amount // the work's limit that the share is based on
}

// more returns what a run that used up its share or time may use beyond it because the limit was
// raised; it becomes part of the share.
func (b *Bounds) more(s *share, now time.Time) budget.Amount {
	if b.Within != nil || b.Raised == nil {
		return budget.Amount{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := b.limit()
	left, _ := limit.Left(b.Spent(now))
	more := b.pool.More(left, budget.Amount{MicroUSD: limit.MicroUSD - s.limit.MicroUSD, Tokens: limit.Tokens - s.limit.Tokens})
	s.limit = limit
	s.MicroUSD += more.MicroUSD
	s.Tokens += more.Tokens
	return more
}

// end gives a share back after its run.
func (b *Bounds) end(s *share) {
	b = b.outermost()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pool.Return(s.Amount)
}

// narrow returns what a run may use of its share, within all enclosing bounds.
func (b *Bounds) narrow(share budget.Amount, now time.Time) budget.Amount {
	for ; b.Within != nil; b = b.Within {
		left, _ := b.limit().Left(b.Spent(now))
		share = share.Least(left)
	}
	return share
}

// wasEmpty reports whether a run did nothing, and tells the breaker.
func (b *Bounds) wasEmpty(res agent.Result, changed bool) (empty bool) {
	b = b.outermost()
	if b.Breaker == nil || res.End == "" || res.End == agent.Cancelled || res.End == agent.Budgeted || res.End == agent.Unpriced {
		return false
	}
	silent := res.Usage.Tokens() == 0 && res.Text == "" && res.Usage.MicroUSD == 0
	empty = res.End == agent.NoAgent || res.End == agent.NoLogin || res.End != agent.Done && !changed && (silent || res.End == agent.Crashed)
	b.Breaker.Ran(empty, fmt.Sprintf("%s: %s (%s)", res.Agent, text.Opening(res.Why), res.End))
	return empty
}

// withoutPrice reports whether a run continues without a money limit, and remarks that once.
func (b *Bounds) withoutPrice(agent string, remark func(string, ...any)) bool {
	b = b.outermost()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Explicit {
		return false
	}
	if !b.told {
		remark("the cost of %s is unknown, so the default limit in dollars does not apply to it; its time limit does", agent)
	}
	b.told = true
	return true
}

// Limits of a run's duration, and of how long it may continue after its result.
const (
	runTime  = 2 * time.Hour
	runAfter = 30 * time.Second
)

// applyBounds applies the work's limits to the run. After a timeout, outOfTime reports whether the
// work's time was up, rather than the run's own.
func (t *Taker) applyBounds(s *Step, share budget.Amount) (outOfTime func() bool) {
	s.Budget = agent.Budget{MicroUSD: share.MicroUSD, Tokens: share.Tokens}
	limit := cmp.Or(max(0, s.Timeout), runTime)
	awake := proc.AwakeClock(t.Now, t.Asleep)
	ends := awake().Add(limit) // regardless of how much of the work's time is left then
	if more := s.More; more != nil {
		s.More = func() budget.Amount {
			m := more()
			m.Time = min(m.Time, ends.Sub(awake()))
			return m
		}
	}
	timed := share.Time > 0 && share.Time <= limit
	if timed {
		limit = share.Time
	}
	s.Timeout = max(time.Second, limit)
	if end := t.Now().Add(share.Time); share.Time > 0 && (s.Until.IsZero() || end.Before(s.Until)) {
		s.Until = end
	}
	s.Idle = cmp.Or(s.Idle, t.Bounds.outermost().Idle)
	s.Linger = cmp.Or(s.Linger, runAfter)
	return func() bool { return timed && awake().Before(ends) }
}
