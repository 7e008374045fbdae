package agent

import (
	"sync"
	"time"
)

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

// isOverBudget reports whether a run has used up its task's budget.
func (t *Task) isOverBudget(u Usage) bool { return t.allow.reached(t.before.Add(u.Spent())) }
