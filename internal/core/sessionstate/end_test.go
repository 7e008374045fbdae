package sessionstate

import (
	"strings"
	"testing"
)

func TestTheFirstEndStands(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		ok(t, s.StartStage(i, ten))
		ok(t, s.Pause(ten))
		ok(t, s.End(ReasonBudget, "it has cost $5.00 of $5.00", at(1)))
		before := printed(s)
		ok(t, s.End(ReasonStopped, "", at(2)))
		if printed(s) != before || deref(s.CompletedAt) != "2025-01-10T10:01:00Z" || s.Status != Failed || s.Paused != nil {
			t.Error(printed(s))
		}
	}
}

// A pipeline is complete when its stages are, whatever is said.
func TestAPipelineEndsAsItsStagesDo(t *testing.T) {
	s, i := session(t, "pipeline")
	iterate(t, s, i, Row{})
	ok(t, s.EndStage(i, ReasonQueueEmpty, "", ten))
	ok(t, s.End(ReasonPlateau, "", ten))
	if s.Status != Failed || deref(s.CompletionReason) != ReasonFailed || s.Why != "stage third is pending" || s.CurrentStage != 2 {
		t.Error(printed(s))
	}
	s, i = session(t, "pipeline")
	iterate(t, s, 2, Row{})
	ok(t, s.StartStage(i, ten))
	ok(t, s.EndStage(i, ReasonAgentError, "it crashed", ten))
	if s.CurrentStage != 2 {
		t.Errorf("what runs is shown before what failed: %s", printed(s))
	}
	ok(t, s.End("", "", ten))
	if deref(s.CompletionReason) != ReasonAgentError || s.Why != "stage second: it crashed" || s.Stages[2].Reason != ReasonAgentError || s.CurrentStage != 1 {
		t.Error(printed(s))
	}
	for _, theirs := range []string{Completed, Failed} {
		s, _ := parsed(t, strings.Replace(documentedPipeline, `"status": "running",
      "started_at"`, `"status": "`+theirs+`", "reason": "theirs", "started_at"`, 1))
		ok(t, s.End("", "", ten))
		if want := map[string]string{Completed: ReasonMaxIterations, Failed: ReasonFailed}[theirs]; deref(s.CompletionReason) != want {
			t.Errorf("%s: %s", theirs, printed(s))
		}
	}
}

func TestResume(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		for range 3 {
			iterate(t, s, i, Row{End: "crashed", JudgeFailed: true})
		}
		if d := Decide(Until{Kind: Judge}, Bounds{}, s.Facts(i, ten)); d.Reason != ReasonAgentError {
			t.Errorf("%+v", d)
		}
		ok(t, s.EndStage(i, ReasonAgentError, "", ten))
		ok(t, s.End("", "", ten))
		ok(t, s.Resume())
		st, _ := s.Stage(i)
		if s.Status != Running || st.Status != Running || s.CompletedAt != nil || s.CompletionReason != nil || st.Reason != "" || st.IterationsRun != nil || s.IterationCompleted != 3 {
			t.Errorf("%s: %s", kind, printed(s))
		}
		if d := Decide(Until{Kind: Judge}, Bounds{}, s.Facts(i, ten)); d.Stop || !WantsJudge(Until{Kind: Judge}, s.Facts(i, ten)) {
			t.Errorf("%s: it fails at once: %+v", kind, d)
		}
		ok(t, s.Pause(at(1)))
		ok(t, s.Pause(at(2)))
		if s.Paused.At != "2025-01-10T10:01:00Z" {
			t.Error(s.Paused)
		}
		before := printed(s)
		ok(t, s.Resume())
		ok(t, s.Resume())
		if s.Paused != nil || before == printed(s) {
			t.Error(printed(s))
		}
	}
	for reason, again := range map[string]bool{ReasonMaxIterations: true, ReasonPlateau: false, ReasonStopped: true} {
		s := loop(t)
		iterate(t, s, 0, Row{})
		ok(t, s.EndStage(0, reason, "", ten))
		if err := s.Resume(); (err == nil) != again {
			t.Errorf("%s: %v", reason, err)
		}
	}
}

// What made no progress needs no higher limit to be resumed, unlike what has spent one.
func TestStalled(t *testing.T) {
	for why, want := range map[string]bool{noProgress + "nothing changed in 3 iterations": true, "it has cost $3.00 of $3.00": false} {
		one, many := loop(t), pipeline(t, "a", "b")
		ok(t, one.End(ReasonBudget, why, ten))
		iterate(t, many, 0, Row{})
		ok(t, many.EndStage(0, ReasonBudget, why, ten))
		ok(t, many.End("", "", ten))
		if one.Stalled() != want || many.Stalled() != want {
			t.Errorf("%s: %s\n%s", why, printed(one), printed(many))
		}
	}
	if s := loop(t); s.Stalled() {
		t.Error("it runs")
	}
}

// What was killed in the evening has its time left in the morning, also where stages run side by
// side: the first to start again is not charged for the absence of the others.
func TestTheTimeUntilAResumptionIsNotCharged(t *testing.T) {
	for kind, s := range map[string]*State{"loop": loop(t), "pipeline": pipeline(t, "one", "two")} {
		for i := range s.Len() {
			ok(t, s.StartStage(i, ten))
			_, err := s.StartIteration(i, ten)
			ok(t, err)
		}
		ok(t, s.Resume()) // it was killed
		for i := range s.Len() {
			if f := s.Facts(i, at(24*60)); f.Elapsed != 0 {
				t.Errorf("%s: %v are charged to stage %d", kind, f.Elapsed, i)
			}
			if n, again := s.Resumable(i); n != 1 || !again {
				t.Errorf("%s: iteration %d, %v", kind, n, again)
			}
		}
	}
}
