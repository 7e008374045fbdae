package session

import (
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/session"
	"warp/internal/engine/step"
)

// purse is what the session may use, and has used.
type purse struct {
	doc    *step.Document[session.State]
	bounds *step.Bounds
	now    func() time.Time

	mu      sync.Mutex
	pending map[int]budget.Amount // what unrecorded iterations have used, by unit
}

// newPurse makes the bounds of the whole session.
func newPurse(e *Engine, j Job, doc *step.Document[session.State]) *purse {
	p := &purse{doc: doc, now: e.Now, pending: map[int]budget.Amount{}}
	limit := j.Limit.Or(budget.Amount{MicroUSD: j.Plan.MaxCost, Time: j.Plan.MaxTime})
	p.bounds = &step.Bounds{Limit: limit, Explicit: true, Idle: e.Limits.Idle, Used: e.Limits.Used, Breaker: &budget.Breaker{},
		Spent: func(now time.Time) (sum budget.Amount) {
			s := doc.Now()
			for i := range s.Len() {
				sum = sum.Add(p.spent(s, i, now))
			}
			return sum
		}}
	return p
}

// spent is what a unit has used, the iteration that is under way included.
func (p *purse) spent(s *session.State, i int, now time.Time) budget.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return s.Facts(i, now).Spent().Add(p.pending[i])
}

// within are the bounds of a unit.
func (p *purse) within(i int, most budget.Amount) *step.Bounds {
	return &step.Bounds{Limit: most, Within: p.bounds, Spent: func(now time.Time) budget.Amount { return p.spent(p.doc.Now(), i, now) }}
}

// spentError says that a budget beyond the iterations keeps a run from beginning.
type spentError struct{ why string }

func (e *spentError) Error() string { return e.why }

// timeLeft is how long a command of a unit may take; 0: no bound.
func (p *purse) timeLeft(b *step.Bounds) (time.Duration, error) {
	left, ok := b.Left(p.now())
	if !ok && left.Time < 0 {
		return 0, &spentError{"its time is up"}
	}
	return left.Time, nil
}

// charge counts what an iteration has used before it is recorded.
func (p *purse) charge(i int, m *step.Memory) {
	sum := budget.Amount{}
	if m != nil {
		for _, a := range m.Answers {
			sum = sum.Add(cost(a))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[i] = sum
}

// cost is what an answer has used.
func cost(a step.Answer) budget.Amount {
	return budget.Amount{MicroUSD: a.Usage.MicroUSD, Tokens: a.Usage.Tokens()}
}
