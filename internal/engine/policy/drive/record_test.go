package drive

import (
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
)

// entry is a row with the time that it says it was written at.
type entry struct {
	at, kind string
	row      any
}

func bookOf(s *drivestate.State, rows ...entry) *evidence.Book {
	b := &evidence.Book{}
	for _, r := range rows {
		b.Take(event.Row{At: r.at, Kind: r.kind, Data: withEpoch(s, r.row)})
	}
	return b
}

const early, late = "2026-11-15T01:00:00.000Z", "2026-11-15T09:00:00.000Z"

// What is found out about a run after it counts, and what was found before it
// does not, also when the clock is set back in between.
func TestACodedTreeIsJudgedByTheOrderOfRows(t *testing.T) {
	s := &drivestate.State{}
	s.Session.StartedAtEpoch = 5
	s.Chunk.Index, s.Chunk.Base = 1, "base"
	run := evidence.Run{Chunk: 1, Role: string(agent.Code), Phase: string(drivestate.Coding), End: string(agent.Done), Tree: "tree"}
	refused := evidence.Gate{Chunk: 1, Gate: "verifier", Reason: "no"}
	tests := evidence.Tested{Chunk: 1, Stage: gate.Chunk, Command: "make test", Excerpt: "FAIL"}
	for name, c := range map[string]struct {
		rows  []entry
		coded bool
		by    string
	}{
		"a run":                 {[]entry{{late, event.Run, run}}, true, ""},
		"refused after it":      {[]entry{{late, event.Run, run}, {early, event.Gate, refused}}, false, "verifier"},
		"refused before it":     {[]entry{{late, event.Gate, refused}, {early, event.Run, run}}, true, "verifier"},
		"tests fail after it":   {[]entry{{late, event.Run, run}, {early, event.Tested, tests}}, false, "make test"},
		"the tests come last":   {[]entry{{late, event.Gate, refused}, {early, event.Tested, tests}}, false, "make test"},
		"the gate comes last":   {[]entry{{late, event.Tested, tests}, {early, event.Gate, refused}}, false, "verifier"},
		"in one millisecond":    {[]entry{{late, event.Run, run}, {late, event.Gate, refused}, {late, event.Run, run}}, true, "verifier"},
		"an answer was missing": {[]entry{{late, event.Run, run}, {early, event.Decision, evidence.Decision{Chunk: 1}}}, false, ""},
	} {
		page := (&ledger{book: bookOf(s, c.rows...)}).evidenceOfIssue(s)
		if got := wasCoded(page, s, "tree"); got != c.coded {
			t.Errorf("%s: coded is %v", name, got)
		}
		by := ""
		if f := findFault(page, s); f != nil {
			by = f.by
		}
		if by != c.by {
			t.Errorf("%s: the fault is %q's", name, by)
		}
	}
	l := &ledger{book: bookOf(s, entry{late, event.Run, run})}
	s.Session.StartedAtEpoch = 6
	if wasCoded(l.evidenceOfIssue(s), s, "tree") {
		t.Error("another session's run counts")
	}
}

// A commit is outdated once the documentation has sent its chunk back, not before.
func TestACommitThatWasSentBack(t *testing.T) {
	s := &drivestate.State{}
	s.Session.StartedAtEpoch, s.Chunk.Index = 5, 1
	commit, back := entry{late, event.Commit, evidence.Commit{Chunk: 1, Hash: "a"}}, entry{early, event.Gate, evidence.Gate{Chunk: 1, Gate: driftGate}}
	for _, c := range []struct {
		rows []entry
		want bool
	}{{[]entry{commit, back}, true}, {[]entry{back, commit}, false}, {[]entry{commit}, false}, {[]entry{back}, false}} {
		page := (&ledger{book: bookOf(s, c.rows...)}).evidenceOfIssue(s)
		if got := isOutdated(page, 1, "a"); got != c.want {
			t.Errorf("%v: %v", c.rows, got)
		}
	}
}

// A drive that died comes to its outcome again; one that parks again for the same reason in a later
// phase has another, or it seems interrupted.
func TestAnOutcomeIsRecordedOnceInAPhase(t *testing.T) {
	const between = "2026-11-15T05:00:00.000Z"
	expired := evidence.Outcome{Epoch: 5, Result: evidence.Person, Why: "the login expired", Do: "log in, then warp resume"}
	merged := evidence.Outcome{Epoch: 5, Result: evidence.Merged, Commit: "a"}
	for name, c := range map[string]struct {
		rows  []entry
		now   evidence.Outcome
		known bool
	}{
		"the first":                 {nil, expired, false},
		"again in this phase":       {[]entry{{late, event.Outcome, expired}}, expired, true},
		"as the phase began":        {[]entry{{between, event.Outcome, expired}}, expired, true},
		"again in a later phase":    {[]entry{{early, event.Outcome, expired}}, expired, false},
		"another came since":        {[]entry{{late, event.Outcome, expired}, {late, event.Outcome, merged}}, expired, false},
		"merged in an earlier one":  {[]entry{{early, event.Outcome, merged}}, merged, true},
		"a time that is unreadable": {[]entry{{"...", event.Outcome, expired}}, expired, false},
	} {
		s := &drivestate.State{}
		s.Session.StartedAtEpoch, s.Budgets.PhaseStartedAt = 5, between
		if got := isRecorded((&ledger{book: bookOf(s, c.rows...)}).evidenceOfIssue(s), s, c.now); got != c.known {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The epoch is in the row, once, also where it had one; without a state it is not.
func TestARowNamesItsSession(t *testing.T) {
	s := &drivestate.State{}
	s.Session.StartedAtEpoch = 7
	if got := string(lossless.AppendCompact(nil, withEpoch(s, withEpoch(s, evidence.Tick{Issue: "1", Epoch: 3, ID: "AC-01"})))); got != `{"issue":"1","epoch":7,"id":"AC-01","checked":false}` {
		t.Errorf("%s", got)
	}
	if got := withEpoch(nil, evidence.Tick{ID: "AC-01"}); got.Get("epoch") != nil {
		t.Errorf("%+v", got)
	}
}
