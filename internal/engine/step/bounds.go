package step

import (
	"context"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// Bounds are what bounds a piece of work while its agents run, side by side or
// not.
type Bounds struct {
	Limit budget.Amount // of the whole work
	// Raised is the limit as it is now, where a person can raise it while runs go
	// on; nil: it stays.
	Raised func() budget.Amount
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

// limit is the one in force.
func (b *Bounds) limit() budget.Amount {
	if b.Raised != nil {
		return b.Raised()
	}
	return b.Limit
}

func (b *Bounds) whole() *Bounds {
	for b.Within != nil {
		b = b.Within
	}
	return b
}

// Share says how many runs may go on at once from now on.
func (b *Bounds) Share(sharers int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purse.Share(sharers)
}

// Left is what the work may still use; false when a bound is reached.
func (b *Bounds) Left(now time.Time) (budget.Amount, bool) {
	left, ok := b.limit().Left(b.Spent(now))
	if b.Within != nil {
		whole, still := b.Within.Left(now)
		return left.Least(whole), ok && still
	}
	return left, ok
}

// IsTimeUp tells that the time of the whole work is used up, and not its money.
func (b *Bounds) IsTimeUp(now time.Time) bool {
	b = b.whole()
	limit, spent := b.limit(), b.Spent(now)
	paid := budget.Amount{MicroUSD: limit.MicroUSD, Tokens: limit.Tokens}
	return paid.Reached(spent) == "" && limit.Reached(spent) != ""
}

// Broken says why no further run is begun, because the ones before did nothing; ""
// when one may be.
func (b *Bounds) Broken() string {
	if b = b.whole(); b.Breaker == nil {
		return ""
	}
	return b.Breaker.Open()
}

// begin takes the share of one more run; why says what is used up.
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
	return share{b.purse.Take(left), limit}, "", nil
}

// share is what one run may use of the work's bounds.
type share struct {
	budget.Amount
	limit budget.Amount // of the work, as far as the run has its part of it
}

// more is what a run that has used up its share, or its time, may use besides, since the
// limit was raised; it becomes a part of the share.
func (b *Bounds) more(s *share, now time.Time) budget.Amount {
	if b.Within != nil || b.Raised == nil {
		return budget.Amount{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	limit := b.limit()
	left, _ := limit.Left(b.Spent(now))
	more := b.purse.More(left, budget.Amount{MicroUSD: limit.MicroUSD - s.limit.MicroUSD, Tokens: limit.Tokens - s.limit.Tokens})
	s.limit = limit
	s.MicroUSD += more.MicroUSD
	s.Tokens += more.Tokens
	return more
}

// end gives a share back, when its run is over and asks for no more.
func (b *Bounds) end(s *share) {
	b = b.whole()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purse.Return(s.Amount)
}

// narrow is what a run may use of its share of the whole.
func (b *Bounds) narrow(share budget.Amount, now time.Time) budget.Amount {
	for ; b.Within != nil; b = b.Within {
		left, _ := b.limit().Left(b.Spent(now))
		share = share.Least(left)
	}
	return share
}

// wasEmpty tells the breaker, and the caller, whether a run did nothing.
func (b *Bounds) wasEmpty(res agent.Result, changed bool) (empty bool) {
	b = b.whole()
	if b.Breaker == nil || res.End == "" || res.End == agent.Cancelled || res.End == agent.Budgeted || res.End == agent.Unpriced {
		return false
	}
	silent := res.Usage.Tokens() == 0 && res.Text == "" && res.Usage.MicroUSD == 0
	empty = res.End == agent.NoAgent || res.End == agent.NoLogin || res.End != agent.Done && !changed && silent
	b.Breaker.Ran(empty, fmt.Sprintf("%s: %s (%s)", res.Agent, text.Opening(res.Why), res.End))
	return empty
}

// withoutPrice reports whether a run goes on without a bound in money, which says so
// once.
func (b *Bounds) withoutPrice(agent string, remark func(string, ...any)) bool {
	b = b.whole()
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
