package contain

import (
	"sync"
	"time"

	"warp/internal/core/evidence"
)

// hookMeter measures how long the hooks of a run took to be answered.
type hookMeter struct {
	mu  sync.Mutex
	sum evidence.Hooks
}

func (m *hookMeter) add(took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Calls++
	m.sum.Seconds += took.Seconds()
	m.sum.Slowest = max(m.sum.Slowest, took.Seconds())
}

// Hooks are those that were answered outside so far; nil: none.
func (r *Run) Hooks() *evidence.Hooks {
	r.hooks.mu.Lock()
	defer r.hooks.mu.Unlock()
	if r.hooks.sum.Calls == 0 {
		return nil
	}
	sum := r.hooks.sum
	return &sum
}
