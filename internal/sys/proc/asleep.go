package proc

import (
	"context"
	"sync"
	"time"
)

const (
	// DefaultGap is how much time may pass between two readings of the clocks before it counts as
	// sleep. A busy machine is late by less.
	DefaultGap = 10 * time.Second
	// lookAtClocks is the interval between readings.
	lookAtClocks = time.Second
)

// sleepClock adds up the time in which this process did not run: the machine was suspended, or the
// process was stopped (SIGSTOP). A wall clock that jumps forward looks the same and counts too; one
// that is set back counts nothing.
type sleepClock struct {
	read func() (wall time.Time, mono time.Duration) // nil means the system's clocks

	mu   sync.Mutex
	gap  time.Duration // 0 if not watching
	wall time.Time     // at the last reading, like mono
	mono time.Duration
	// asleep is the sleep by the wall clock; stalled by the monotonic clock, which stops while
	// the machine is suspended. Timers and durations follow the latter.
	asleep, stalled time.Duration
}

// sleeping is shared by the whole process, since all of it sleeps at once.
var sleeping = &sleepClock{}

// WatchSleep starts to watch for sleep, once per process. Without it no sleep is counted.
func WatchSleep(gap time.Duration) {
	if !sleeping.begin(gap) {
		return
	}
	go func() {
		for range time.Tick(min(lookAtClocks, gap/2)) {
			sleeping.look()
		}
	}()
}

func (c *sleepClock) begin(gap time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gap > 0 || gap <= 0 {
		return false
	}
	if c.read == nil {
		began := time.Now()
		c.read = func() (time.Time, time.Duration) { now := time.Now(); return now.Round(0), now.Sub(began) }
	}
	c.gap = gap
	c.wall, c.mono = c.read()
	return true
}

// look counts the sleep since the last reading. Not only the ticker calls it: a caller right
// after waking must get all of it.
func (c *sleepClock) look() (asleep, stalled time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gap == 0 {
		return 0, 0
	}
	wall, mono := c.read()
	passed, ran := wall.Sub(c.wall), mono-c.mono
	c.wall, c.mono = wall, mono
	switch {
	case ran > c.gap:
		c.stalled += ran
		c.asleep += max(0, passed)
	case passed-ran > c.gap:
		c.asleep += passed - ran
	}
	return c.asleep, c.stalled
}

// sumAsleep returns how long this process has slept since WatchSleep, by the wall clock.
func sumAsleep() time.Duration {
	asleep, _ := sleeping.look()
	return asleep
}

func stalled() time.Duration {
	_, stalled := sleeping.look()
	return stalled
}

// AwakeClock returns a clock that stops while the process is asleep. Use it to measure what is
// charged, never to tell the time. If asleep is nil, it uses the process's sleep.
func AwakeClock(now func() time.Time, asleep func() time.Duration) func() time.Time {
	if asleep == nil {
		asleep = sumAsleep
	}
	// Round drops the monotonic reading, which already leaves out a part of the sleep.
	return func() time.Time { slept := asleep(); return now().Round(0).Add(-slept) }
}

// awakeTimer fires after the process has been awake for a duration.
type awakeTimer struct {
	*time.Timer
	stalled time.Duration // when it was armed
}

func newAwakeTimer(d time.Duration) *awakeTimer {
	return &awakeTimer{time.NewTimer(d), stalled()}
}

func (t *awakeTimer) reset(d time.Duration) {
	t.stalled = stalled()
	t.Reset(d)
}

// isEarly is called when the timer fires: it adds the time asleep and rearms the timer.
func (t *awakeTimer) isEarly() bool {
	slept := stalled() - t.stalled
	if slept <= 0 {
		return false
	}
	t.reset(slept)
	return true
}

// AfterAwake calls fn after the process has been awake for d, unless stopped before.
func AfterAwake(d time.Duration, fn func()) (stop func()) {
	t, stopped := newAwakeTimer(d), make(chan struct{})
	go func() {
		defer t.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-t.C:
				if !t.isEarly() {
					fn()
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(stopped) })
}

// WaitUntil waits for a time of the wall clock, but no longer than it was away at the start: a
// clock that is set back or stands still does not delay it. A plain timer would be late by the time
// that the machine slept.
func WaitUntil(ctx context.Context, at time.Time, now func() time.Time) error {
	most := time.NewTimer(max(0, at.Sub(now().Round(0))))
	defer most.Stop()
	look := time.NewTicker(lookAtWall)
	defer look.Stop()
	for at.Sub(now().Round(0)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-most.C:
			return ctx.Err()
		case <-look.C:
		}
	}
	return ctx.Err()
}

// lookAtWall is how late WaitUntil may be after a sleep.
const lookAtWall = 5 * time.Second

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

// Pause waits, but not longer than the context lasts.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
