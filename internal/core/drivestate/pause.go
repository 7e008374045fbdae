package drivestate

import (
	"time"

	"warp/internal/core/event"
)

// Pause pauses the drive: only an abort moves it.
func (s *State) Pause(now time.Time) { s.Paused = &Pause{Stamp(now)} }

// Resume ends a pause. No budget is charged for it.
func (s *State) Resume(now time.Time) {
	leaveOut(s, event.Since(s.Paused.At, now), now)
	s.Paused = nil
}

// AddAsleep excludes time in which the machine or its engine slept. Pauses and waits are excluded
// as a whole when they end, so only sleep before a pause counts here.
func (s *State) AddAsleep(slept time.Duration, now time.Time) {
	if s.Waiting == nil {
		s.AddWaited(slept, now)
	}
}

// AddWaited excludes time spent waiting for a person, up to now.
func (s *State) AddWaited(took time.Duration, now time.Time) {
	if s.Paused != nil {
		took -= event.Since(s.Paused.At, now)
	}
	leaveOut(s, took, now)
}

// Park records that the drive waits for a person and no engine runs.
func (s *State) Park(now time.Time) { s.Session.ParkedAt = Stamp(now) }

// Unpark excludes the time for which the drive was parked, once.
func (s *State) Unpark(now time.Time) {
	if s.Session.ParkedAt != "" {
		s.AddWaited(event.Since(s.Session.ParkedAt, now), now)
	}
	s.Session.ParkedAt = ""
}

// Waited ends a wait. No budget is charged for it.
func (s *State) Waited(now time.Time) {
	if s.Waiting != nil && s.Waiting.Since != "" {
		leaveOut(s, event.Since(s.Waiting.Since, now), now)
	}
	s.Waiting = nil
}

// leaveOut excludes time from all budgets, from each at most what it has been charged: a drive that
// was killed while the clock stood in 1970 had no time limit any more.
func leaveOut(s *State, took time.Duration, now time.Time) {
	used := s.Used(now)
	s.Session.PausedSeconds += int64(max(0, min(took, used.session)).Seconds())
	s.Budgets.PhasePausedSeconds += int64(max(0, min(took, used.phase)).Seconds())
}
