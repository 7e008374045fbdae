package drivestate

import (
	"slices"
	"time"
)

// exceed parks the drive because budgets were outrun, or aborts it where the settings say
// so, and returns where it is then.
func (s *State) exceed(reasons []string, st Step) Phase {
	s.trip(reasons, st.Event, st.Now)
	if st.Limits.PhaseEnforcement == Halt && slices.Contains(reasons, PhaseTimeout) {
		abandon(s, st)
		s.move(Aborted, BudgetAbort, nil, st.Now)
	}
	return s.Phase
}

// setTimeUp notes when the first time budget of the phase ends.
func (s *State) setTimeUp(l Limits, now time.Time) {
	s.Budgets.TimeUpAt = ""
	if !s.Phase.Trips() {
		return
	}
	left := minutes(l.SessionMinutes) - s.sessionElapsed(now)
	if l.PhaseEnforcement == Block || l.PhaseEnforcement == Halt {
		left = min(left, minutes(l.PhaseMinutes)-s.phaseElapsed(now))
	}
	s.Budgets.TimeUpAt = Stamp(now.Add(left))
}

// MayBeOutOfTime tells whether a time budget may have passed. OutOfTime tells for sure,
// and needs the settings for it.
func (s *State) MayBeOutOfTime(now time.Time) bool {
	if !s.Phase.Trips() || s.Paused != nil || s.Frozen != nil {
		return false
	}
	up, err := time.Parse(time.RFC3339, s.Budgets.TimeUpAt)
	return err != nil || now.After(up)
}

// OutOfTime parks a drive whose time is up between two events, as the next event would
// have. It tells why; nothing: time is left.
func (s *State) OutOfTime(l Limits, now time.Time) []string {
	if !s.MayBeOutOfTime(now) {
		return nil
	}
	all, _ := s.trips(l, now)
	var reasons []string
	for _, r := range all {
		if r == PhaseTimeout || r == SessionTimeout {
			reasons = append(reasons, r)
		}
	}
	if len(reasons) > 0 {
		s.exceed(reasons, Step{Limits: l, Now: now})
		s.setTimeUp(l, now)
	}
	return reasons
}
