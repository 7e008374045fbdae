package drivestate

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/text"
)

func TestContinuingGivesEachTrippedBudgetItsWholeLimitAgain(t *testing.T) {
	now := t1.Add(time.Minute)
	const waited = "session.paused_seconds: 120" // a minute of pause, and one in budget_exceeded
	fresh := map[string][]string{
		PhaseTimeout:        {waited},
		RetryExceeded:       {"budgets.retry_count: 0", waited},
		CodingCyclesReached: {"budgets.coding_cycles: 0", waited},
		NoProgress:          {"budgets.no_progress.count: gone", "budgets.no_progress.diff: gone", "budgets.no_progress.signature: gone", waited},
		TotalChunks:         {"budgets.chunks_allowance_from: 21", waited},
		SessionTimeout:      {`budgets.session_allowance_from: "` + Stamp(now) + `"`, "session.paused_seconds: gone"},
	}
	for _, b := range budgets {
		s, l := working(Committing), huge
		s.Session.PausedSeconds = 60
		b.set(s, &l, Committed, true)
		if b.reason == SessionTimeout { // the pause is not charged
			s.Session.StartedAt = Stamp(t1.Add(-481*time.Minute - time.Millisecond))
		}
		must(t, s, Step{Event: Committed, Now: t1, Limits: l})
		before := tree(s)
		out := must(t, s, Step{Event: BudgetContinue, Now: now, Limits: l})
		if out.To != Coding || s.Phase != Coding || out.Tripped() {
			t.Errorf("%s: continuing leads to %+v", b.reason, out)
		}
		got := slices.DeleteFunc(changes(before, tree(s)), ofEveryMove)
		if diff := cmp.Diff(fresh[b.reason], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", b.reason, diff)
		}
		if out := must(t, s, Step{Event: CodeComplete, Now: now, Limits: l}); out.Tripped() {
			t.Errorf("%s trips again at once: %+v", b.reason, out)
		}
	}
}

// ofEveryMove are the changes that every transition makes.
func ofEveryMove(line string) bool {
	for _, p := range []string{"phase: ", "budgets.phase_started_at: ", "history: ", "edit_counts", "metrics.session_duration_minutes: "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	return false
}

func TestAllTrippedBudgetsAreRenewedAndNoOther(t *testing.T) {
	s := working(BudgetExceeded)
	s.Budgets.ExceededReasons = []string{RetryExceeded, TotalChunks}
	s.Metrics.ChunksCompleted = 8
	must(t, s, Step{Event: BudgetContinue, Now: t1, Limits: huge})
	b := s.Budgets
	if b.RetryCount != 0 || b.ChunksFrom != 8 || b.CodingCycles != 1 || b.NoProgress == nil || b.SessionFrom != "" {
		t.Errorf("%+v", b)
	}
}

func TestAFreshAllowanceLastsExactlyAsLongAsTheFirst(t *testing.T) {
	s, l := working(Merging), huge
	l.Retries = 3
	s.Budgets.RetryCount = 0
	for round := range 3 {
		for i := range 3 {
			if out := must(t, s, Step{Event: MergeFailed, Now: t1, Limits: l}); out.Tripped() {
				t.Fatalf("round %d: retry %d of 3 trips", round, i+1)
			}
		}
		if out := must(t, s, Step{Event: MergeFailed, Now: t1, Limits: l}); !out.Tripped() {
			t.Fatalf("round %d: retry 4 of 3 does not trip", round)
		}
		must(t, s, Step{Event: BudgetContinue, Now: t1, Limits: l})
		s.Phase = Merging
	}

	l = huge
	l.SessionMinutes = 60
	s = working(Coding)
	must(t, s, Step{Event: CodeComplete, Now: t0.Add(61 * time.Minute), Limits: l})
	must(t, s, Step{Event: BudgetContinue, Now: t0.Add(100 * time.Minute), Limits: l})
	if out := must(t, s, Step{Event: CodeComplete, Now: t0.Add(160 * time.Minute), Limits: l}); out.Tripped() {
		t.Errorf("60 fresh minutes are over after 60: %+v", out)
	}
	if out := must(t, s, Step{Event: DocsUpdated, Now: t0.Add(160*time.Minute + 1e6), Limits: l}); !out.Tripped() {
		t.Errorf("60 fresh minutes never end: %+v", out)
	}
}

func TestATripBeforeCodingLeavesNothingToContinue(t *testing.T) {
	for _, p := range Drawing("").Trapped {
		on := Table.Events(p)[0]
		s, l := overAll(p, on)
		must(t, s, Step{Event: on, Now: t1, Limits: l})
		before := slices.Contains([]Phase{Prerequisites, Discovering, Planning, Chunking}, p)
		if s.Budgets.CanContinue() == before {
			t.Errorf("tripped in %s: can be continued: %v", p, s.Budgets.CanContinue())
		}
		if !before {
			must(t, s, Step{Event: BudgetContinue, Now: t1, Limits: l})
			continue
		}
		err := refused(t, s, Step{Event: BudgetContinue, Now: t1, Limits: l})
		want := `event "budget_continue" is not allowed: the budget tripped in phase "` + string(p) +
			`", before any coding, so there is nothing to continue; allowed: budget_abort, abort`
		if err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		for _, on := range []Event{BudgetAbort, Abort} {
			if to, err := s.Check(on); to != Aborted || err != nil {
				t.Errorf("%s after a trip in %s: %s, %v", on, p, to, err)
			}
		}
	}
}

func TestAClockThatWasSetBackNeitherTripsNorGives(t *testing.T) {
	l := huge
	l.PhaseMinutes, l.SessionMinutes = 30, 60
	past := t0.Add(-1000 * time.Hour)
	s := working(Coding)
	s.Budgets.PhasePausedSeconds, s.Session.PausedSeconds = 60, 60
	if out := must(t, s, Step{Event: CodeComplete, Now: past, Limits: l}); out.Tripped() || s.Metrics.SessionMinutes != 0 {
		t.Errorf("%+v after %v minutes", out, s.Metrics.SessionMinutes)
	}
	s.Budgets.PhasePausedSeconds = 3600
	for _, left := range s.Used(past).allowances(l) {
		if left.unit == "min" && left.used != 0 {
			t.Errorf("%+v used before it began", left)
		}
	}
	s.Budgets.PhasePausedSeconds = 0
	// Once the clock is right again, the session has lasted as long as it has.
	if out := must(t, s, Step{Event: DocsUpdated, Now: t0.Add(61*time.Minute + 1e6), Limits: l}); !slices.Contains(out.Reasons, SessionTimeout) {
		t.Errorf("setting the clock back gave time away: %+v", out)
	}
	s = working(Coding)
	s.Pause(t1)
	s.Resume(past)
	if s.Session.PausedSeconds != 0 || s.Budgets.PhasePausedSeconds != 0 {
		t.Errorf("a pause of negative length counts: %+v %+v", s.Session, s.Budgets)
	}
}

func TestTimeSpentPausedIsNotCharged(t *testing.T) {
	l := huge
	l.PhaseMinutes, l.SessionMinutes = 30, 30
	s := working(Coding)
	s.Pause(t0.Add(5 * time.Minute))
	if s.Paused == nil || s.Paused.At != Stamp(t0.Add(5*time.Minute)) {
		t.Fatalf("paused: %+v", s.Paused)
	}
	s.Resume(t0.Add(65 * time.Minute))
	if s.Paused != nil || s.Session.PausedSeconds != 3600 || s.Budgets.PhasePausedSeconds != 3600 {
		t.Errorf("after an hour: %+v %+v %+v", s.Paused, s.Session, s.Budgets)
	}
	if out := must(t, s, Step{Event: CodeComplete, Now: t0.Add(90 * time.Minute), Limits: l}); out.Tripped() {
		t.Errorf("30 minutes of work in 90: %+v", out)
	}
	if s.Budgets.PhasePausedSeconds != 0 {
		t.Errorf("the next phase begins with %d s of pause", s.Budgets.PhasePausedSeconds)
	}
	out := must(t, s, Step{Event: DocsUpdated, Now: t0.Add(90*time.Minute + time.Millisecond), Limits: l})
	if !slices.Equal(out.Reasons, []string{SessionTimeout}) {
		t.Errorf("more than 30 minutes of work: %+v", out)
	}
}

func TestWhilePausedOnlyAnAbortMoves(t *testing.T) {
	for _, p := range Table.States() {
		for _, on := range Table.Events(p) {
			s := working(p)
			s.Pause(t0)
			if on == Abort || on == BudgetAbort {
				must(t, s, Step{Event: on, Now: t1, Limits: huge})
				if s.Paused != nil || s.Phase != Aborted {
					t.Errorf("%s in %s: phase %s, paused %v, want a drive that can clean up", on, p, s.Phase, s.Paused)
				}
				continue
			}
			var paused *PausedError
			err := refused(t, s, Step{Event: on, Now: t1, Limits: huge})
			if want := "the drive is paused since " + text.LocalTime(t0) + "; run warp continue to resume it, or warp stop to abort"; !errors.As(err, &paused) || err.Error() != want {
				t.Errorf("%s in %s: %v", on, p, err)
			}
		}
	}
}

func TestAllowancesTellWhatIsUsed(t *testing.T) {
	s := working(Coding)
	s.Budgets.ChunksFrom = 1
	s.Metrics.ChunksCompleted = 4
	l := Limits{PhaseMinutes: 30, Retries: 5, CodingCycles: 3, NoProgress: 3, TotalChunks: 20, SessionMinutes: 480}
	want := []allowance{
		{"phase_timeout", 10, 30, "min"}, {"retry_exceeded", 2, 5, "retries"}, {"coding_cycles_exceeded", 1, 3, "cycles"},
		{"no_progress", 1, 3, "identical failures"}, {"total_chunks_exceeded", 3, 20, "chunks"}, {"session_timeout", 10, 480, "min"},
	}
	if diff := cmp.Diff(want, s.Used(t1.Add(59*time.Second)).allowances(l), cmp.AllowUnexported(allowance{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.Budgets.NoProgress = nil
	if got := s.Used(t1).allowances(l)[3].used; got != 0 {
		t.Errorf("without a failure %d are counted", got)
	}
}

// No more is left out than was charged, however far back the clock stood: a drive once got years.
func TestNoMoreIsLeftOutThanWasCharged(t *testing.T) {
	s := working(Coding)
	s.Budgets.PhaseStartedAt = Stamp(t0.Add(time.Hour))
	s.AddAsleep(50*365*24*time.Hour, t0.Add(3*time.Hour))
	if s.Session.PausedSeconds != 3*3600 || s.Budgets.PhasePausedSeconds != 2*3600 {
		t.Errorf("%d s of the session and %d s of the phase are left out", s.Session.PausedSeconds, s.Budgets.PhasePausedSeconds)
	}
	s.AddAsleep(-time.Hour, t0.Add(3*time.Hour))
	if u := s.Used(t0.Add(4 * time.Hour)); u.session != time.Hour || u.phase != time.Hour {
		t.Errorf("an hour later %v and %v are used", u.session, u.phase)
	}
}

// What was slept before a pause is left out at once, what is slept during it at its end:
// none of it twice.
func TestSleepBeforeAPause(t *testing.T) {
	at := t0.Add(time.Hour)
	for _, c := range []struct{ slept, want time.Duration }{{50 * time.Minute, 49 * time.Minute}, {30 * time.Second, 0}} {
		s := working(Coding)
		s.Pause(at)
		s.AddAsleep(c.slept, at.Add(time.Minute))
		if have := time.Duration(s.Session.PausedSeconds) * time.Second; have != c.want {
			t.Errorf("of %v asleep, %v are left out, want %v", c.slept, have, c.want)
		}
		s.Resume(at.Add(2 * time.Minute))
		if have := time.Duration(s.Session.PausedSeconds) * time.Second; have != c.want+2*time.Minute {
			t.Errorf("after the pause %v are left out", have)
		}
	}
	s := &State{Waiting: &Waiting{Since: Stamp(at)}}
	s.AddAsleep(time.Hour, at.Add(time.Minute))
	if s.Session.PausedSeconds != 0 {
		t.Error("a wait leaves its own time out")
	}
}
