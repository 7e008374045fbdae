package proc

import (
	"sync"
	"time"
)

// SleepMeter lets an account leave time asleep out: each part of it once.
type SleepMeter struct {
	asleep func() time.Duration

	mu      sync.Mutex
	counted time.Duration
}

// NewSleepMeter begins now: what was slept before is counted. Without asleep, it is
// the process's own.
func NewSleepMeter(asleep func() time.Duration) *SleepMeter {
	if asleep == nil {
		asleep = sumAsleep
	}
	return &SleepMeter{asleep: asleep, counted: asleep()}
}

// Uncounted is what was slept and not counted yet; without a meter, nothing.
func (m *SleepMeter) Uncounted() time.Duration {
	if m == nil {
		return 0
	}
	slept := m.asleep()
	m.mu.Lock()
	defer m.mu.Unlock()
	return slept - m.counted
}

// Count says that so much is in the account now.
func (m *SleepMeter) Count(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counted += d
}
