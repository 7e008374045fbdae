package sessionstate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
)

var both = []string{"loop", "pipeline"}

// session is a loop, or a pipeline whose second stage is looked at, so that what
// holds for the one is shown for the other.
func session(t *testing.T, kind string) (*State, int) {
	if kind == "loop" {
		return loop(t), 0
	}
	s := pipeline(t, "first", "second", "third")
	iterate(t, s, 0, Row{Plateau: true, Judge: &Verdict{true, "", 1}, Gates: Pass})
	iterate(t, s, 0, Row{Plateau: true, Judge: &Verdict{true, "", 1}, Gates: Pass})
	ok(t, s.EndStage(0, ReasonPlateau, "", at(1)))
	return s, 1
}

func TestAStageWithoutIterationsIsNoSuccess(t *testing.T) {
	for _, kind := range both {
		for _, reason := range successes {
			s, i := session(t, kind)
			ok(t, s.StartStage(i, ten))
			ok(t, s.EndStage(i, reason, "the queue is empty", ten))
			ok(t, s.End("", "", ten))
			st, _ := s.Stage(i)
			if st.Status != Failed || st.Reason != ReasonFailed || !strings.Contains(st.Why, "no iteration ran: the queue is empty") {
				t.Errorf("%s, %s: %+v", kind, reason, st)
			}
			if s.Status != Failed || deref(s.CompletionReason) != ReasonFailed {
				t.Errorf("%s, %s: %s", kind, reason, printed(s))
			}
		}
		s, i := session(t, kind)
		ok(t, s.StartStage(i, ten))
		ok(t, s.EndStage(i, ReasonStopped, "", ten))
		if st, _ := s.Stage(i); st.Reason != ReasonStopped {
			t.Errorf("what failed keeps its reason: %+v", st)
		}
	}
}

func TestIterationsAdvanceInEveryStage(t *testing.T) {
	s := pipeline(t, "a", "b", "c")
	for stage := range 3 {
		for n := 1; n <= 3; n++ {
			ok(t, s.StartStage(stage, ten))
			if s.CurrentStage != stage || n == 1 && (s.Iteration != 0 || s.IterationCompleted != 0 || s.IterationStarted != nil) {
				t.Errorf("the counters of stage %d begin with %s", stage, printed(s))
			}
			got, err := s.StartIteration(stage, ten)
			ok(t, err)
			if got != n || s.Iteration != n || s.IterationCompleted != n-1 || s.IterationStarted == nil {
				t.Errorf("stage %d, iteration %d: %s", stage, n, printed(s))
			}
			ok(t, s.CompleteIteration(stage, Row{Iteration: n}, budget.Amount{}, ten))
			if s.IterationCompleted != n || s.Stages[stage].IterationCompleted != n || s.IterationStarted != nil {
				t.Errorf("stage %d, iteration %d: %s", stage, n, printed(s))
			}
		}
		ok(t, s.EndStage(stage, ReasonMaxIterations, "", ten))
		if next := min(stage+1, 2); s.CurrentStage != next {
			t.Errorf("behind stage %d: %s", stage, printed(s))
		}
	}
	ok(t, s.End("", "", ten))
	if s.Status != Complete || deref(s.CompletionReason) != ReasonMaxIterations || *s.Stages[1].IterationsRun != 3 {
		t.Error(printed(s))
	}
}

func TestStagesSideBySideCountForThemselves(t *testing.T) {
	s := pipeline(t, "a", "b")
	for i := range 2 {
		ok(t, s.StartStage(i, ten))
		_, err := s.StartIteration(i, ten)
		ok(t, err)
	}
	ok(t, s.CompleteIteration(1, Row{Iteration: 1, Plateau: true}, budget.Amount{MicroUSD: 5, Tokens: 5}, at(1)))
	iterate(t, s, 1, Row{Plateau: true})
	if s.CurrentStage != 0 || s.IterationCompleted != 0 || s.IterationStarted == nil {
		t.Errorf("the first that runs is shown: %s", printed(s))
	}
	if f := s.Facts(0, at(3)); f.Plateaus != 0 || f.Iterations != 0 || f.MicroUSD != 0 || f.Elapsed.Minutes() != 3 {
		t.Errorf("%+v", f)
	}
	if f := s.Facts(1, at(3)); f.Plateaus != 2 || f.Iterations != 2 || f.Elapsed.Minutes() != 1 {
		t.Errorf("%+v", f)
	}
	if rows := s.Rows(1); len(s.Rows(0)) != 0 || len(rows) != 2 || rows[1].Iteration != 2 {
		t.Errorf("%+v", rows)
	}
	if got := s.Spent(); got != (budget.Amount{MicroUSD: 5, Tokens: 5}) {
		t.Error(got)
	}
}

// An iteration is recorded once, if it was started: neither a vote nor a dollar
// is counted twice.
func TestAnIterationIsRecordedOnce(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		ok(t, s.StartStage(i, ten))
		vote := Row{Iteration: 1, Plateau: true, Judge: &Verdict{true, "", 1}}
		refused := func(what string, r Row, recorded bool) {
			t.Helper()
			before := printed(s)
			err := s.CompleteIteration(i, r, budget.Amount{MicroUSD: 1, Tokens: 1}, ten)
			var already *recordedError
			if err == nil || errors.As(err, &already) != recorded || printed(s) != before {
				t.Errorf("%s, %s: %v", kind, what, err)
			}
		}
		refused("never started", vote, false)
		_, err := s.StartIteration(i, ten)
		ok(t, err)
		refused("another one", Row{Iteration: 2}, false)
		refused("no number", Row{}, false)
		ok(t, s.CompleteIteration(i, vote, budget.Amount{MicroUSD: 1, Tokens: 1}, ten))
		refused("twice", vote, true)
		_, err = s.StartIteration(i, ten)
		ok(t, err)
		refused("twice, while the next runs", vote, true)
		if f := s.Facts(i, ten); f.Plateaus != 1 || f.MicroUSD != 1 || len(s.Rows(i)) != 1 {
			t.Errorf("%s: %+v", kind, f)
		}
	}
}

func TestWhatAnEarlierStageAgreedOnIsItsOwn(t *testing.T) {
	s, i := session(t, "pipeline")
	ok(t, s.StartStage(i, ten))
	if f := s.Facts(i, ten); f.Counts != (Counts{}) || len(s.Rows(i)) != 0 {
		t.Errorf("%+v", f)
	}
	iterate(t, s, i, Row{Plateau: true})
	for _, u := range []Until{{Kind: Plateau, Min: 1}, {Kind: Judge, Min: 1}, {Kind: Gates}} {
		if d := Decide(u, Bounds{}, s.Facts(i, ten)); d.Stop {
			t.Errorf("%s: %+v", u, d)
		}
	}
}

func TestACrashedIterationIsTheNextOne(t *testing.T) {
	for _, kind := range both {
		s, i := session(t, kind)
		ok(t, s.StartStage(i, ten))
		next := func(want int, begun bool) {
			t.Helper()
			if n, again := reread(t, s).Resumable(i); n != want || again != begun {
				t.Errorf("%s: %d, %v, want %d, %v", kind, n, again, want, begun)
			}
		}
		next(1, false)
		iterate(t, s, i, Row{})
		next(2, false)
		_, err := s.StartIteration(i, at(1))
		ok(t, err)
		next(2, true)
		n, err := s.StartIteration(i, at(600)) // after the crash, whose time nobody pays for
		ok(t, err)
		ok(t, s.CompleteIteration(i, Row{Iteration: n}, budget.Amount{}, at(601)))
		next(3, false)
		if f := s.Facts(i, at(700)); f.Elapsed.Minutes() != 1 {
			t.Errorf("%s: %v", kind, f.Elapsed)
		}
		_, err = s.StartIteration(i, at(700))
		ok(t, err)
		ok(t, s.End(ReasonStopped, "by hand", at(701)))
		if st, _ := s.Stage(i); st.IterationStarted != nil || s.Status != Failed || deref(s.CompletionReason) != ReasonStopped {
			t.Errorf("%s: %s", kind, printed(s))
		}
		next(3, true)
		ok(t, s.Resume())
		if err := s.CompleteIteration(i, Row{Iteration: 3}, budget.Amount{}, at(702)); err == nil {
			t.Errorf("%s: what was stopped was recorded without being started again", kind)
		}
	}
}

func TestTheHistoryIsBoundedAndNothingCountedIsLost(t *testing.T) {
	s := pipeline(t, "slow", "quick")
	ok(t, s.StartStage(0, ten))
	n, err := s.StartIteration(0, ten)
	ok(t, err)
	ok(t, s.CompleteIteration(0, Row{Iteration: n, Plateau: true, Judge: &Verdict{true, "done", 1}}, budget.Amount{MicroUSD: 7, Tokens: 9}, at(1)))
	before := s.Facts(0, at(1))
	for range 3 * keep {
		iterate(t, s, 1, Row{Summary: "x"})
	}
	if len(s.History) != keep || s.HistoryDropped != 2*keep+1 || s.History[keep-1].Iteration != 3*keep || len(s.Rows(0)) != 0 {
		t.Errorf("%d rows, %d dropped", len(s.History), s.HistoryDropped)
	}
	if diff := cmp.Diff(before, reread(t, s).Facts(0, at(1))); diff != "" {
		t.Error(diff)
	}
	if f := s.Facts(1, ten); f.Unchanged != 3*keep || f.Iterations != 3*keep {
		t.Errorf("%+v", f)
	}
}

func TestWhatMayNotHappen(t *testing.T) {
	for _, kind := range both {
		ended := func() (*State, int) {
			s, i := session(t, kind)
			iterate(t, s, i, Row{})
			ok(t, s.EndStage(i, ReasonPlateau, "", at(9)))
			return s, i
		}
		for what, try := range map[string]func() error{
			"a stage that is not there": func() error { s, _ := session(t, kind); return s.StartStage(3, ten) },
			"the stage before the first": func() error {
				s, _ := session(t, kind)
				_, err := s.StartIteration(-1, ten)
				return err
			},
			"a stage that has ended": func() error { s, i := ended(); return s.StartStage(i, ten) },
			"an iteration after the end": func() error {
				s, i := ended()
				_, err := s.StartIteration(i, ten)
				return err
			},
			"to end twice":          func() error { s, i := ended(); return s.EndStage(i, ReasonStopped, "", ten) },
			"to end for no reason":  func() error { s, i := session(t, kind); ok(t, s.StartStage(i, ten)); return s.EndStage(i, "", "", ten) },
			"an unknown reason":     func() error { s, _ := session(t, kind); return s.End("tired", "", ten) },
			"to pause what is over": func() error { s, _ := ended(); ok(t, s.End("", "", ten)); return s.Pause(ten) },
			"an iteration while it is paused": func() error {
				s, i := session(t, kind)
				ok(t, s.StartStage(i, ten))
				ok(t, s.Pause(ten))
				_, err := s.StartIteration(i, ten)
				return err
			},
			"success while an iteration runs": func() error {
				s, i := session(t, kind)
				iterate(t, s, i, Row{})
				_, err := s.StartIteration(i, ten)
				ok(t, err)
				return s.EndStage(i, ReasonPlateau, "", ten)
			},
		} {
			if try() == nil {
				t.Errorf("%s: %s", kind, what)
			}
		}
	}
	s := pipeline(t, "a")
	if _, err := s.StartIteration(0, ten); err == nil {
		t.Error("an iteration of a stage that has not begun")
	}
	if n, again := s.Resumable(1); n != 0 || again || s.Rows(1) != nil || s.Facts(1, ten) != (Facts{}) {
		t.Error("of a stage that is not there")
	}
}

func TestARowThatWasCopiedIsPrintedAsItIs(t *testing.T) {
	s := loop(t)
	iterate(t, s, 0, Row{Summary: "first"})
	s = reread(t, s)
	r := s.History[0]
	r.Summary = "second"
	iterate(t, s, 0, r)
	if got := reread(t, s).History; got[1].Iteration != 2 || got[1].Summary != "second" {
		t.Errorf("%+v", got)
	}
}

// BenchmarkStep is what the document costs an iteration when it is full.
func BenchmarkStep(b *testing.B) {
	s := loop(b)
	for i := range keep {
		iterate(b, s, 0, Row{Summary: fmt.Sprint("did something of some length, as summaries have ", i), Reasoning: "because", Cost: "$0.10"})
	}
	_, doc := parsed(b, printed(s))
	for b.Loop() {
		s := &State{}
		ok(b, lossless.Decode(doc, s))
		iterate(b, s, 0, Row{Summary: "x"})
		doc = lossless.Encode(s, doc)
	}
}
