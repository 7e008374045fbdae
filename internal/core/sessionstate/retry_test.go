package sessionstate

import (
	"fmt"
	"testing"
)

// A session that failed for want of an agent was once complete when it was resumed.
func TestAResumeTriesAgainWhatFailed(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		u := Until{Kind: Fixed, N: 2}
		iterate(t, s, i, Row{Changed: true})
		iterate(t, s, i, Row{End: "no_agent"})
		for range 2 { // however often
			d := Decide(u, Bounds{}, s.Facts(i, ten))
			if d.Reason != ReasonAgentError {
				t.Fatalf("%s: %+v", kind, d)
			}
			ok(t, s.EndStage(i, d.Reason, d.Why, ten))
			ok(t, s.End("", "", ten))
			ok(t, s.Resume())
			s = reread(t, s)
			if d := Decide(u, Bounds{}, s.Facts(i, ten)); d.Stop {
				t.Fatalf("%s: it ends at once: %+v", kind, d)
			}
			iterate(t, s, i, Row{End: "no_agent"})
		}
		ok(t, s.EndStage(i, ReasonStopped, "", ten))
		ok(t, s.End("", "", ten))
		ok(t, s.Resume())
		iterate(t, s, i, Row{Changed: true})
		if d := Decide(u, Bounds{}, s.Facts(i, ten)); d.Reason != ReasonMaxIterations {
			t.Errorf("%s: %+v", kind, d)
		}
	}
}

// What was refused at its end is done once more, and then counts.
func TestAResumeDoesAgainWhatWasRefused(t *testing.T) {
	for _, reason := range []string{ReasonVerify, ReasonNoOutput} {
		for _, u := range []Until{{Kind: Fixed, N: 2}, {Kind: Plateau}} {
			s := loop(t)
			iterate(t, s, 0, Row{Plateau: true})
			iterate(t, s, 0, Row{Plateau: true})
			ok(t, s.EndStage(0, reason, "", ten))
			if s.Status != Failed {
				t.Fatalf("%s is %s", reason, s.Status)
			}
			ok(t, s.Resume())
			if d := Decide(u, Bounds{MaxIterations: 2}, s.Facts(0, ten)); d.Stop {
				t.Errorf("%s, %s: it ends at once: %+v", reason, u, d)
			}
			iterate(t, s, 0, Row{})
			if d := Decide(u, Bounds{MaxIterations: 2}, s.Facts(0, ten)); d.Reason != ReasonMaxIterations {
				t.Errorf("%s, %s: %+v", reason, u, d)
			}
		}
	}
}

// A document of an earlier version does not say how many iterations came to nothing.
func TestAnOlderFailureIsTriedAgain(t *testing.T) {
	s := loop(t)
	iterate(t, s, 0, Row{End: "crashed"})
	s.Counts.Failed = 0
	ok(t, s.EndStage(0, ReasonAgentError, "", ten))
	ok(t, s.Resume())
	if d := Decide(Until{Kind: Fixed, N: 1}, Bounds{}, s.Facts(0, ten)); d.Stop {
		t.Errorf("%+v", d)
	}
}

func TestWithoutWorkThereIsNoSuccess(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		iterate(t, s, i, Row{End: "crashed"})
		ok(t, s.EndStage(i, ReasonQueueEmpty, "others have emptied it", ten))
		st, err := s.Stage(i)
		ok(t, err)
		if st.Status != Failed || st.Reason != ReasonAgentError || st.Why != "no iteration had a result: others have emptied it" {
			t.Errorf("%s: %+v", kind, st)
		}
	}
	s := loop(t) // a run that failed beside gates that pass has come to something
	iterate(t, s, 0, Row{End: "crashed", Gates: Pass})
	ok(t, s.EndStage(0, ReasonGatesPassed, "", ten))
	if s.Status != Complete {
		t.Error(printed(s))
	}
}

func TestAnIterationWithNothingToDoIsWithdrawn(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		iterate(t, s, i, Row{Items: []string{"a"}})
		_, err := s.StartIteration(i, ten)
		ok(t, err)
		ok(t, s.WithdrawIteration(i))
		if n, again := s.Resumable(i); n != 2 || again {
			t.Errorf("%s: %d, %v", kind, n, again)
		}
		ok(t, s.EndStage(i, ReasonQueueEmpty, "", ten))
	}
}

func TestItemsAreTriedAgainWhenAsked(t *testing.T) {
	s := loop(t)
	never := func(end string) bool { return end == "limit" }
	for n := range keep + 3 {
		r := Row{Item: "a"}
		switch n % 3 {
		case 1:
			r.Items = []string{"a"}
		case 2:
			r.End = "limit"
		}
		iterate(t, s, 0, r)
	}
	tries := s.Tried("a", never)
	s.RetryItems()
	s = reread(t, s)
	again := s.Tried("a", never)
	iterate(t, s, 0, Row{Item: "a"})
	if got := fmt.Sprint(tries, again, s.Tried("a", never), s.Tried("b", never)); got != "34 0 1 0" {
		t.Error(got)
	}
}

// A branch that was not taken neither completes a session nor fails it.
func TestASkippedStage(t *testing.T) {
	s, i := session(t, Pipeline)
	for k := range s.Stages {
		if k != i {
			ok(t, s.SkipStage(k, "another was first", ten))
		}
	}
	ok(t, s.SkipStage(i, "", ten))
	if s.Stages[i].Status != Skipped || s.Stages[i].IterationStarted != nil {
		t.Errorf("%+v", s.Stages[i])
	}
	ok(t, s.RedoStage(i))
	ok(t, s.StartStage(i, ten))
	iterate(t, s, i, Row{Changed: true})
	ok(t, s.EndStage(i, ReasonMaxIterations, "", ten))
	ok(t, s.SkipStage(i, "", ten)) // what is completed stays so
	s = reread(t, s)
	ok(t, s.End("", "", ten))
	if s.Status != Complete || s.Stages[i].Status != Completed {
		t.Errorf("%s: %+v", s.Status, s.Stages)
	}
	if err := s.SkipStage(i, "", ten); err == nil {
		t.Error("a stage of a session that has ended was skipped")
	}
}
