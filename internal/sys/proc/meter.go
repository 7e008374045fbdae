package proc

import (
	"sync"
	"time"
)

// SleepMeter lets an account leave out time asleep, each part once.
type SleepMeter struct {
	asleep func() time.Duration

	mu      sync.Mutex
	counted time.Duration
}

// NewSleepMeter returns a meter that starts now, with earlier sleep already counted. If asleep is
// nil, it uses the process's sleep.
func NewSleepMeter(asleep func() time.Duration) *SleepMeter {
	if asleep == nil {
		asleep = sumAsleep
	}
	return &SleepMeter{asleep: asleep, counted: asleep()}
}

// Uncounted returns the sleep not counted yet. It is 0 for a nil meter.
func (m *SleepMeter) Uncounted() time.Duration {
	if m == nil {
		return 0
	}
	slept := m.asleep()
	m.mu.Lock()
	defer m.mu.Unlock()
	return slept - m.counted
}

// Count marks d of the sleep as counted.
func (m *SleepMeter) Count(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counted += d
}
