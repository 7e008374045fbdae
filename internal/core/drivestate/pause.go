package drivestate

import "time"

// Hold pauses the drive: no event but an abort moves it.
func (s *State) Hold(now time.Time) { s.Paused = &Pause{Stamp(now)} }

// Resume ends a pause; the time it took is not charged to any budget.
func (s *State) Resume(now time.Time) {
	leaveOut(s, since(s.Paused.At, now))
	s.Paused = nil
}

// AddAsleep leaves time out in which the machine, or its engine, was asleep. Of a pause
// and of a wait all time is left out when they end: only what was slept before a pause is
// left out here.
func (s *State) AddAsleep(slept time.Duration, now time.Time) {
	if s.Waiting == nil {
		s.AddWaited(slept, now)
	}
}

// AddWaited leaves time out in which a person was waited for, up to now.
func (s *State) AddWaited(took time.Duration, now time.Time) {
	if s.Paused != nil {
		took -= since(s.Paused.At, now)
	}
	leaveOut(s, max(0, took))
}

// Park notes that a drive is left to a person.
func (s *State) Park(now time.Time) { s.Session.ParkedAt = Stamp(now) }

// Unpark leaves out the time in which a drive was left to a person, once.
func (s *State) Unpark(now time.Time) {
	if s.Session.ParkedAt != "" {
		s.AddWaited(since(s.Session.ParkedAt, now), now)
	}
	s.Session.ParkedAt = ""
}

// Waited ends a wait for something that ended by itself; the time it took is
// not charged to any budget.
func (s *State) Waited(now time.Time) {
	if s.Waiting != nil && s.Waiting.Since != "" {
		leaveOut(s, since(s.Waiting.Since, now))
	}
	s.Waiting = nil
}

// leaveOut charges time to no budget.
func leaveOut(s *State, took time.Duration) {
	s.Session.PausedSeconds += int64(took.Seconds())
	s.Budgets.PhasePausedSeconds += int64(took.Seconds())
}
