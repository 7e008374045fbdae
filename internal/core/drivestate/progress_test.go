package drivestate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two failures that nobody would take for the same, and how the first looks in
// another run.
const (
	failureA      = "--- FAIL: TestParse (0.02s)\n    parse_test.go:10: got 1, want 2"
	failureAAgain = "--- FAIL: TestParse (0.31s)\n    parse_test.go:10: got 1, want 2"
	failureB      = "panic: assignment to entry in nil map"
)

func TestNoProgressCountsIdenticalFailuresOfTheSameTree(t *testing.T) {
	type attempt struct{ failure, tree string }
	for _, c := range []struct {
		name     string
		attempts []attempt
		want     int // identical failures in a row at the end
	}{
		{"one", []attempt{{failureA, "x"}}, 1},
		{"the same again", []attempt{{failureA, "x"}, {failureAAgain, "x"}, {failureA, "x"}}, 3},
		{"another diff", []attempt{{failureA, "x"}, {failureA, "x"}, {failureA, "y"}}, 1},
		{"another signature", []attempt{{failureA, "x"}, {failureA, "x"}, {failureB, "x"}}, 1},
		{"there and back", []attempt{{failureA, "x"}, {failureB, "x"}, {failureA, "x"}}, 1},
		{"no text", []attempt{{"", "x"}, {"", "x"}}, 0},
		{"blank text", []attempt{{" \n", "x"}, {" \n", "x"}, {"\t", "x"}}, 0},
		{"no tree", []attempt{{failureA, ""}, {failureA, ""}}, 0},
		{"what is not known does not break the run", []attempt{{failureA, "x"}, {"", "x"}, {failureA, ""}, {failureA, "x"}}, 2},
	} {
		for _, on := range []Event{MergeFailed, PushFailed} {
			s := working(Merging)
			s.Budgets.NoProgress = nil
			for _, a := range c.attempts {
				must(t, s, Step{Event: on, Data: Data{Failure: a.failure}, Tree: a.tree, Now: t1, Limits: huge})
			}
			if got := s.Used(t1).allowances(huge)[3].used; got != c.want {
				t.Errorf("%s, %s: %d in a row, want %d", c.name, on, got, c.want)
			}
		}
	}
}

func TestNoProgressTripsWhenItReachesItsLimit(t *testing.T) {
	l := huge
	l.NoProgress = 3
	for _, c := range []struct {
		phase Phase
		step  Step
	}{
		{Testing, Step{Event: TestsFailed, Data: Data{Failure: failureA}}},
		{DocDriftCheck, Step{Event: DriftBlocked, Data: Data{Failure: failureA}}},
		{Merging, Step{Event: PushFailed, Data: Data{Failure: failureA}}},
		{Coding, Step{Event: CodeComplete, Blocked: failureA}},
	} {
		s := working(c.phase)
		s.Budgets.NoProgress = nil
		c.step.Tree, c.step.Now, c.step.Limits = "tree", t1, l
		for i := range 2 {
			if out := must(t, s, c.step); out.Tripped() {
				t.Fatalf("%s: identical failure %d trips", c.step.Event, i+1)
			}
			s.Phase = c.phase
		}
		if out := must(t, s, c.step); !slices.Equal(out.Reasons, []string{NoProgress}) {
			t.Errorf("%s: the third identical failure leads to %+v", c.step.Event, out)
		}
		if s.Budgets.NoProgress.Count != 3 {
			t.Errorf("%s: %+v", c.step.Event, s.Budgets.NoProgress)
		}
	}
}

func TestOnlyFailuresCountForNoProgress(t *testing.T) {
	for _, c := range []struct {
		phase Phase
		on    Event
	}{{Merging, Abort}, {BudgetExceeded, BudgetAbort}, {Aborted, AbortCleanupFailed}} {
		s := working(c.phase)
		before := *s.Budgets.NoProgress
		must(t, s, Step{Event: c.on, Data: Data{Failure: failureA}, Tree: "tree", Now: t1, Limits: huge})
		if diff := cmp.Diff(&before, s.Budgets.NoProgress); diff != "" {
			t.Errorf("%s counts (-want +got):\n%s", c.on, diff)
		}
	}
}
