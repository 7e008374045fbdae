package drivestate

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What an event spends by itself.
var (
	costsRetry = []Event{TestsFailed, DriftBlocked, MergeFailed, PushFailed}
	costsCycle = []Event{TestsFailed, DriftBlocked}
	costsChunk = []Event{ReportFiled}
)

func cost(on Event, events []Event) int {
	if slices.Contains(events, on) {
		return 1
	}
	return 0
}

// budgets are the six reasons, each with what brings a drive to its limit: one
// step less than at is harmless, at itself is the last harmless state, and
// over is the first that trips.
var budgets = []struct {
	reason string
	set    func(s *State, l *Limits, on Event, over bool)
}{
	{PhaseTimeout, func(s *State, l *Limits, _ Event, over bool) {
		l.PhaseMinutes = 30
		s.Budgets.PhaseStartedAt = Stamp(t1.Add(-30*time.Minute - ms(over)))
	}},
	{RetryExceeded, func(s *State, l *Limits, on Event, over bool) {
		l.Retries = 5
		s.Budgets.RetryCount = 5 + one(over) - cost(on, costsRetry)
	}},
	{CodingCyclesReached, func(s *State, l *Limits, on Event, over bool) {
		l.CodingCycles = 3
		s.Budgets.CodingCycles = 3 + one(over) - cost(on, costsCycle)
	}},
	{NoProgress, func(s *State, l *Limits, _ Event, over bool) {
		l.NoProgress = 3
		s.Budgets.NoProgress = &Progress{2 + one(over), "signature", "tree"}
	}},
	{TotalChunks, func(s *State, l *Limits, on Event, over bool) {
		l.TotalChunks = 20
		s.Metrics.ChunksCompleted = 20 + one(over) - cost(on, costsChunk)
	}},
	{SessionTimeout, func(s *State, l *Limits, _ Event, over bool) {
		l.SessionMinutes = 480
		s.Session.StartedAt = Stamp(t1.Add(-480*time.Minute - ms(over)))
	}},
}

func one(over bool) int {
	if over {
		return 1
	}
	return 0
}

func ms(over bool) time.Duration { return time.Duration(one(over)) * time.Millisecond }

func TestEachBudgetTripsExactlyAtItsLimitInEveryWorkingPhase(t *testing.T) {
	for _, b := range budgets {
		for _, p := range Drawing("").Trapped {
			for _, on := range Table.Events(p) {
				if on == Abort {
					continue
				}
				s, l := working(p), huge
				b.set(s, &l, on, false)
				if out := must(t, s, Step{Event: on, Now: t1, Limits: l}); out.Tripped() || len(out.Warnings) > 0 {
					t.Errorf("%s at its limit trips on %s in %s: %+v", b.reason, on, p, out)
				}
				s, l = working(p), huge
				b.set(s, &l, on, true)
				out := must(t, s, Step{Event: on, Now: t1, Limits: l})
				want := Outcome{From: p, To: BudgetExceeded, Event: on, Reasons: []string{b.reason}}
				if diff := cmp.Diff(want, out); diff != "" {
					t.Errorf("%s beyond its limit on %s in %s (-want +got):\n%s", b.reason, on, p, diff)
				}
				checkTripped(t, s, p, on, []string{b.reason})
			}
		}
	}
}

// checkTripped checks that the document records a trip.
func checkTripped(t *testing.T, s *State, from Phase, on Event, reasons []string) {
	t.Helper()
	b := s.Budgets
	if s.Phase != BudgetExceeded || b.ExceededFromPhase != from || b.ExceededAt != Stamp(t1) || !slices.Equal(b.ExceededReasons, reasons) {
		t.Errorf("%s in %s: phase %s, budgets %+v, want %v recorded", on, from, s.Phase, b, reasons)
	}
	want := Row{Phase: BudgetExceeded, At: Stamp(t1), From: from, Event: on, Reasons: reasons}
	if diff := cmp.Diff(want, s.History[len(s.History)-1], ignoreRest); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	if b.PhaseStartedAt != Stamp(t1) || len(s.EditCounts) != 0 || s.Aborted {
		t.Errorf("budget_exceeded is no new phase: %+v, edits %v, aborted %v", b, s.EditCounts, s.Aborted)
	}
}

// overAll outruns every budget at once.
func overAll(p Phase, on Event) (*State, Limits) {
	s, l := working(p), huge
	for _, b := range budgets {
		b.set(s, &l, on, true)
	}
	return s, l
}

func TestNoBudgetTripsInWaitingAndFinalPhases(t *testing.T) {
	for _, p := range []Phase{Idle, AwaitingContinue, BudgetExceeded, Aborted, Completed} {
		for _, on := range Table.Events(p) {
			s, l := overAll(p, on)
			want, _ := Table.Next(p, on)
			if out := must(t, s, Step{Event: on, Now: t1, Limits: l}); out.Tripped() || out.To != want || s.Phase != want {
				t.Errorf("%s in %s: %+v, want %s", on, p, out, want)
			}
		}
	}
}

func TestAnAbortNeverTrips(t *testing.T) {
	for _, p := range Table.States() {
		if !slices.Contains(Table.Events(p), Abort) {
			continue
		}
		s, l := overAll(p, Abort)
		out := must(t, s, Step{Event: Abort, Now: t1, Limits: l})
		if out.Tripped() || len(out.Warnings) > 0 || s.Phase != Aborted || !s.Aborted {
			t.Errorf("abort in %s: %+v, phase %s", p, out, s.Phase)
		}
	}
}

func TestSeveralBudgetsTripAtOnceInTheirOrder(t *testing.T) {
	s, l := overAll(Testing, TestsFailed)
	out := must(t, s, Step{Event: TestsFailed, Now: t1, Limits: l})
	all := []string{"phase_timeout", "retry_exceeded", "coding_cycles_exceeded", "no_progress", "total_chunks_exceeded", "session_timeout"}
	if !slices.Equal(out.Reasons, all) {
		t.Errorf("reasons %v, want %v", out.Reasons, all)
	}
	checkTripped(t, s, Testing, TestsFailed, all)
}

func TestHowAPhaseThatLastsTooLongIsTreated(t *testing.T) {
	late := []string{PhaseTimeout}
	for _, c := range []struct {
		enforcement string
		retries     int // a second budget, if not 0
		want        Outcome
		rows        History
	}{
		{"warn", 0, Outcome{To: UpdatingDocs, Warnings: late}, History{{Phase: UpdatingDocs, From: Coding, Event: CodeComplete}}},
		{"", 0, Outcome{To: UpdatingDocs, Warnings: late}, History{{Phase: UpdatingDocs, From: Coding, Event: CodeComplete}}},
		{"block", 0, Outcome{To: BudgetExceeded, Reasons: late}, History{{Phase: BudgetExceeded, From: Coding, Event: CodeComplete, Reasons: late}}},
		{"abort", 0, Outcome{To: Aborted, Reasons: late}, History{
			{Phase: BudgetExceeded, From: Coding, Event: CodeComplete, Reasons: late},
			{Phase: Aborted, From: BudgetExceeded, Event: BudgetAbort}}},
		{"warn", 6, Outcome{To: BudgetExceeded, Reasons: []string{RetryExceeded}, Warnings: late},
			History{{Phase: BudgetExceeded, From: Coding, Event: CodeComplete, Reasons: []string{RetryExceeded}}}},
		{"abort", 6, Outcome{To: Aborted, Reasons: []string{PhaseTimeout, RetryExceeded}}, History{
			{Phase: BudgetExceeded, From: Coding, Event: CodeComplete, Reasons: []string{PhaseTimeout, RetryExceeded}},
			{Phase: Aborted, From: BudgetExceeded, Event: BudgetAbort}}},
	} {
		s, l := working(Coding), huge
		l.PhaseEnforcement, l.PhaseMinutes, l.Retries = c.enforcement, 9, 5
		s.Budgets.RetryCount = c.retries
		out := must(t, s, Step{Event: CodeComplete, Now: t1, Limits: l})
		c.want.From, c.want.Event = Coding, CodeComplete
		for i := range c.rows {
			c.rows[i].At = Stamp(t1)
		}
		if diff := cmp.Diff(c.want, out); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.enforcement, diff)
		}
		if diff := cmp.Diff(c.rows, s.History[1:], ignoreRest); diff != "" {
			t.Errorf("%q: history (-want +got):\n%s", c.enforcement, diff)
		}
		if s.Phase != c.want.To || s.Aborted != (c.want.To == Aborted) {
			t.Errorf("%q: phase %s, aborted %v", c.enforcement, s.Phase, s.Aborted)
		}
	}
}

func TestAbortEnforcementConcernsTheTimeoutOnly(t *testing.T) {
	s, l := working(Merging), huge
	l.PhaseEnforcement, l.Retries = Halt, 2
	if out := must(t, s, Step{Event: PushFailed, Now: t1, Limits: l}); out.To != BudgetExceeded || s.Aborted {
		t.Errorf("%+v, aborted %v, want the drive to wait in budget_exceeded", out, s.Aborted)
	}
}
