package proc

import (
	"testing"
	"time"
)

// clocks are a wall and a monotonic clock that the test moves.
type clocks struct {
	wall time.Time
	mono time.Duration
}

func (c *clocks) watch(t *testing.T) *sleepClock {
	t.Helper()
	c.wall = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := &sleepClock{read: func() (time.Time, time.Duration) { return c.wall, c.mono }}
	if !s.begin(10*time.Second) || s.begin(time.Second) {
		t.Fatal("it is watched once")
	}
	return s
}

func TestTimeAsleepIsWhatNoTickSaw(t *testing.T) {
	for name, c := range map[string]struct{ wall, mono, asleep, stalled time.Duration }{
		"a tick":                 {wall: time.Second, mono: time.Second},
		"a late tick":            {wall: 9 * time.Second, mono: 9 * time.Second},
		"suspended":              {wall: 7 * time.Hour, mono: time.Second, asleep: 7*time.Hour - time.Second},
		"stopped":                {wall: time.Hour, mono: time.Hour, asleep: time.Hour, stalled: time.Hour},
		"set forward":            {wall: time.Hour + time.Second, mono: time.Second, asleep: time.Hour},
		"set back":               {wall: -time.Hour, mono: time.Second},
		"set back while stopped": {wall: -time.Hour, mono: time.Hour, stalled: time.Hour},
		"corrected a little":     {wall: 4 * time.Second, mono: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var now clocks
			s := now.watch(t)
			now.wall, now.mono = now.wall.Add(c.wall), now.mono+c.mono
			for range 2 { // looking again counts nothing twice
				if asleep, stalled := s.look(); asleep != c.asleep || stalled != c.stalled {
					t.Errorf("asleep %v, stalled %v; want %v, %v", asleep, stalled, c.asleep, c.stalled)
				}
			}
		})
	}
}

func TestAnAwakeClockStandsStillInSleep(t *testing.T) {
	var now clocks
	s := now.watch(t)
	awake := AwakeClock(func() time.Time { return now.wall }, func() time.Duration { asleep, _ := s.look(); return asleep })
	began := awake()
	for range 3 {
		now.wall, now.mono = now.wall.Add(time.Second), now.mono+time.Second
		awake()
	}
	now.wall, now.mono = now.wall.Add(7*time.Hour), now.mono+7*time.Hour
	if got := awake().Sub(began); got != 3*time.Second {
		t.Errorf("%v have passed, want 3s", got)
	}
}

// A command whose time ran out while we were stopped gets that time back.
func TestATimerGivesTimeAsleepBack(t *testing.T) {
	var now clocks
	was := sleeping
	sleeping = now.watch(t)
	t.Cleanup(func() { sleeping = was })
	timer := newAwakeTimer(time.Hour)
	defer timer.Stop()
	now.wall, now.mono = now.wall.Add(2*time.Hour), now.mono+2*time.Hour
	if !timer.isEarly() {
		t.Fatal("two hours asleep were charged to it")
	}
	now.mono += time.Second
	if timer.isEarly() {
		t.Error("time asleep was given back twice")
	}
}

func TestAMeterCountsEachSleepOnce(t *testing.T) {
	slept := 5 * time.Second
	m := NewSleepMeter(func() time.Duration { return slept })
	if got := m.Uncounted(); got != 0 {
		t.Errorf("%v from before it began", got)
	}
	slept += 90 * time.Minute
	if got := m.Uncounted(); got != 90*time.Minute {
		t.Errorf("%v, want 90 minutes", got)
	}
	m.Count(time.Hour)
	if got := m.Uncounted(); got != 30*time.Minute {
		t.Errorf("%v, want the rest", got)
	}
	if got := (*SleepMeter)(nil).Uncounted(); got != 0 {
		t.Errorf("none has %v", got)
	}
}
