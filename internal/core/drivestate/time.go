package drivestate

import (
	"slices"
	"time"

	"warp/internal/core/event"
)

// Reasons why a drive waits: its money, or the tokens or time of its command, are spent. The engine
// that runs the agents counts them, not the table.
const (
	CostExceeded   = "cost_exceeded"
	TokensExceeded = "tokens_exceeded"
	TimeExceeded   = "time_exceeded"
)

// ParkFor parks a drive for a reason outside its own counters. It reports whether the phase allows
// it.
func (s *State) ParkFor(reason string, now time.Time) bool {
	if !s.Phase.Trips() {
		return false
	}
	park(s, []string{reason}, "", now)
	return true
}

// park records exceeded budgets and stops the drive.
func park(s *State, reasons []string, on Event, now time.Time) {
	s.Budgets.ExceededReasons = reasons
	s.Budgets.ExceededAt = Stamp(now)
	s.Budgets.ExceededFromPhase = s.Phase
	enter(s, BudgetExceeded, on, reasons, now)
}

// exceed parks the drive for exceeded budgets, or aborts it if so configured, and returns the new
// phase.
func exceed(s *State, reasons []string, st Step) Phase {
	park(s, reasons, st.Event, st.Now)
	if st.Limits.PhaseEnforcement == Halt && slices.Contains(reasons, PhaseTimeout) {
		abandon(s, st)
		enter(s, Aborted, BudgetAbort, nil, st.Now)
	}
	return s.Phase
}

// setTimeUp records when the phase's first time budget ends.
func setTimeUp(s *State, l Limits, now time.Time) {
	s.Budgets.TimeUpAt = ""
	u := s.Used(now)
	if u.waits {
		return
	}
	left := minutes(l.SessionMinutes) - u.session
	if l.stopsPhase() {
		left = min(left, minutes(l.PhaseMinutes)-u.phase)
	}
	s.Budgets.TimeUpAt = Stamp(now.Add(left))
}

// MayBeOutOfTime reports whether a time budget may have passed. OutOfTime knows for sure, but needs
// the settings.
func (s *State) MayBeOutOfTime(now time.Time) bool {
	if !s.Phase.Trips() || s.Paused != nil || s.Frozen != nil {
		return false
	}
	up, err := time.Parse(time.RFC3339, s.Budgets.TimeUpAt)
	return err != nil || now.After(up)
}

// OutOfTime parks a drive whose time ran out between two events, as the next event would. It
// returns the reasons; none if time is left.
func (s *State) OutOfTime(l Limits, now time.Time) []string {
	if !s.MayBeOutOfTime(now) {
		return nil
	}
	all, _ := s.Used(now).exceeded(l)
	reasons := slices.DeleteFunc(all, func(r string) bool { return r != PhaseTimeout && r != SessionTimeout })
	if len(reasons) > 0 {
		exceed(s, reasons, Step{Limits: l, Now: now})
		setTimeUp(s, l, now)
	}
	return reasons
}

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
