package drivestate

import (
	"slices"
	"time"
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
