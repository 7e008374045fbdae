package agent

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/tokens"
)

// noUsage is the usage of a run that never started.
var noUsage = Usage{Priced: true}

// whyUnpriced returns why a budget in dollars or tokens could not limit a run, or "". A run that
// could not be stopped in time does not start. If only the stream shows which model an agent
// chooses, the run starts, and ends at once if the model has no price.
func (r *Runner) whyUnpriced(a Adapter, t Task) string {
	f, frugal := a.(unpricedAgent)
	inDollars := t.Budget.MicroUSD > 0
	if !frugal || !inDollars && t.Budget.Tokens <= 0 {
		return ""
	}
	_, known := r.prices().Lookup(t.Model)
	switch tells := f.Tells(); {
	case !tells.Tokens:
		return fmt.Sprintf("%s reports neither tokens nor prices, so no budget applies to it; set a time limit instead", a.Name())
	case !inDollars:
		return ""
	case t.Model != "" && !known:
		return noPrice(t.Model)
	case t.Model == "" && !tells.Model:
		return fmt.Sprintf("%s does not report which model it uses, so a budget in dollars cannot be enforced; name the model, or set a budget in tokens", a.Name())
	}
	return ""
}

func noPrice(model string) string {
	return fmt.Sprintf("the price of the model %q is unknown, so a budget in dollars cannot be enforced; add its price to ~/.claude/prices.json, or set a budget in tokens", model)
}

func (r *Runner) prices() tokens.PriceTable {
	if r.Prices == nil {
		return tokens.DefaultPrices
	}
	return r.Prices
}

// addPrice adds the price to a usage, if the agent did not report it and the model has one.
func (r *Runner) addPrice(u Usage, model string) Usage {
	u.Model = cmp.Or(u.Model, model)
	for _, n := range []*int64{&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.MicroUSD} {
		*n = max(0, *n) // an agent reports its own usage: negative numbers must not give anything back
	}
	if u.Priced || u.Tokens() == 0 {
		return u
	}
	if rate, known := r.prices().Lookup(u.Model); known {
		u.MicroUSD = max(u.MicroUSD, rate.Cost(u.Input, u.Output, u.CacheRead, u.CacheWrite))
		u.Priced = true
	}
	return u
}

// Add adds another usage.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Output += v.Output
	u.CacheRead += v.CacheRead
	u.CacheWrite += v.CacheWrite
	u.MicroUSD += v.MicroUSD
	u.Priced = u.Priced && v.Priced
	u.Model = cmp.Or(v.Model, u.Model)
	u.Turns += v.Turns
}

// allowance is what a task may use. When it is used up, it asks for more: the work's limits may
// have been raised since the task began.
type allowance struct {
	ask func() Budget // nil: there is no more

	mu     sync.Mutex
	budget Budget
}

// left returns the whole allowance, and what is left of it after spent; false if nothing is.
func (a *allowance) left(spent Budget) (whole, left Budget, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if left, ok = a.budget.Left(spent); !ok {
		a.grow()
		left, ok = a.budget.Left(spent)
	}
	return a.budget, left, ok
}

// reached reports whether spent uses up the allowance.
func (a *allowance) reached(spent Budget) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.budget.Reached(spent) != "" {
		a.grow()
	}
	return a.budget.Reached(spent) != ""
}

// raised reports whether the allowance is larger now than it was.
func (a *allowance) raised(was Budget) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grow()
	return a.budget != was
}

// moreTime returns how much longer a run may take whose time is up.
func (a *allowance) moreTime() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.grow()
}

func (a *allowance) grow() time.Duration {
	if a.ask == nil {
		return 0
	}
	more := a.ask()
	left := more.Time
	more.Time = 0
	a.budget = a.budget.Raise(more)
	return left
}
