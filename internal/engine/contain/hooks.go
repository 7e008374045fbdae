package contain

import (
	"sync"
	"time"

	"warp/internal/core/evidence"
)

// hookMeter measures how long a run's hooks took to be answered.
type hookMeter struct {
	mu  sync.Mutex
	sum evidence.Hooks
}

func (m *hookMeter) add(event string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Add(event, took.Seconds())
}

// Hooks returns the hooks answered outside so far, or nil.
func (r *Run) Hooks() *evidence.Hooks {
	r.hooks.mu.Lock()
	defer r.hooks.mu.Unlock()
	if len(r.hooks.sum.Events) == 0 {
		return nil
	}
	sum := r.hooks.sum.Clone()
	return &sum
}
