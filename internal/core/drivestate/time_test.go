package drivestate

import (
	"slices"
	"testing"
	"time"
)

func TestWhenTimeIsUp(t *testing.T) {
	for _, c := range []struct {
		name           string
		phase, session int
		enforcement    string
		paused         bool
		after          time.Duration // since the phase and the session began
		want           []string
		to             Phase
	}{
		{"time is left", 30, 60, Block, false, 29 * time.Minute, nil, Testing},
		{"of the phase", 30, 60, Block, false, 31 * time.Minute, []string{PhaseTimeout}, BudgetExceeded},
		{"of the phase, with a warning only", 30, 60, Warn, false, 31 * time.Minute, nil, Testing},
		{"of the phase, with an abort", 30, 60, Halt, false, 31 * time.Minute, []string{PhaseTimeout}, Aborted},
		{"of the session", 30, 60, Warn, false, 61 * time.Minute, []string{SessionTimeout}, BudgetExceeded},
		{"of both", 30, 60, Block, false, 61 * time.Minute, []string{PhaseTimeout, SessionTimeout}, BudgetExceeded},
		{"paused", 30, 60, Block, true, 61 * time.Minute, nil, Testing},
	} {
		s, l := working(Testing), huge
		l.PhaseMinutes, l.SessionMinutes, l.PhaseEnforcement = c.phase, c.session, c.enforcement
		s.Session.StartedAt, s.Budgets.PhaseStartedAt, s.Budgets.SessionFrom = Stamp(t0), Stamp(t0), ""
		s.Budgets.RetryCount = 1 << 30 // what other budgets say is the next event's
		setTimeUp(s, l, t0)
		if c.paused {
			s.Pause(t0)
		}
		if may := s.MayBeOutOfTime(t0.Add(c.after)); may != (len(c.want) > 0) {
			t.Errorf("%s: may be out of time: %v (%s)", c.name, may, s.Budgets.TimeUpAt)
		}
		if got := s.OutOfTime(l, t0.Add(c.after)); !slices.Equal(got, c.want) || s.Phase != c.to {
			t.Errorf("%s: %v, in %s", c.name, got, s.Phase)
		}
	}
	s := working(Testing)
	if s.Budgets.TimeUpAt = ""; !s.MayBeOutOfTime(t0) {
		t.Error("a state that does not say when is not looked at")
	}
}
