package step

import (
	"time"

	"warp/internal/core/budget"
)

// Left is what the work may still use; false when a bound is reached.
func (b *Bounds) Left(now time.Time) (budget.Amount, bool) {
	left, ok := b.Limit.Left(b.Spent(now))
	if b.Within != nil {
		whole, still := b.Within.Left(now)
		return left.Least(whole), ok && still
	}
	return left, ok
}

// Broken says why no further run is begun, because the ones before came to
// nothing; "" when one may be.
func (b *Bounds) Broken() string {
	b = b.whole()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Breaker == nil {
		return ""
	}
	return b.Breaker.Open()
}

func (b *Bounds) whole() *Bounds {
	for b.Within != nil {
		b = b.Within
	}
	return b
}

// narrow is what a run may use of its share of the whole.
func (b *Bounds) narrow(share budget.Amount, now time.Time) budget.Amount {
	for ; b.Within != nil; b = b.Within {
		left, _ := b.Limit.Left(b.Spent(now))
		share = share.Least(left)
	}
	return share
}

// withoutPrice tells whether a run goes on without a bound in money, which says so
// once.
func (b *Bounds) withoutPrice(agent string, remark func(string, ...any)) bool {
	b = b.whole()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Explicit {
		return false
	}
	if !b.told {
		remark("what %s costs is not known, so the default bound in dollars does not hold for it; its time bounds it", agent)
	}
	b.told = true
	return true
}
