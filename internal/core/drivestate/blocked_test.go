package drivestate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rich is data of which everything is a fact, whatever becomes of the event.
var rich = Data{Requirement: "77", Branch: "feature/77", Commit: "7777777", Tokens: ptr(7000), Chunks: [][]string{{"AC-9"}}}

var richFacts = []string{`requirement: "77"`, `branch: "feature/77"`, `commit_hashes: ["1111111","7777777"]`, "metrics.commits: 5", "token_usage.session_total: 7000"}

// A gate that refuses an event costs one retry; the phase stays, and nothing
// that the event stands for happens.
func TestABlockedEventCostsOneRetryAndDoesNothingElse(t *testing.T) {
	for _, p := range Drawing("").Trapped {
		for _, on := range Table.Events(p) {
			if on == Abort {
				continue
			}
			s := working(p)
			before := tree(s)
			out := must(t, s, Step{Event: on, Data: rich, Blocked: failureA, Now: t1, Limits: huge, Tree: "tree-1"})
			if diff := cmp.Diff(Outcome{From: p, To: p, Event: on}, out); diff != "" || s.Phase != p {
				t.Errorf("%s in %s (-want +got):\n%s", on, p, diff)
			}
			want := with(nil, []string{"budgets.retry_count: 3", `budgets.no_progress.diff: "tree-1"`, "metrics.session_duration_minutes: 10",
				`budgets.no_progress.signature: "` + s.Budgets.NoProgress.Signature + `"`,
				"last_failure.at: " + at1, `last_failure.event: "` + string(on) + `"`, `last_failure.text: "` + printable(failureA, maxFailure) + `"`})
			if diff := cmp.Diff(want, changes(before, tree(s))); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", on, p, diff)
			}
		}
	}
}

func TestABlockedEventTripsWhenItsRetryIsOneTooMany(t *testing.T) {
	s, l := working(Coding), huge
	l.Retries = 3
	if out := must(t, s, Step{Event: CodeComplete, Blocked: failureA, Now: t1, Limits: l}); out.Tripped() || s.Budgets.RetryCount != 3 {
		t.Fatalf("%+v after %d retries", out, s.Budgets.RetryCount)
	}
	out := must(t, s, Step{Event: CodeComplete, Blocked: failureB, Now: t1, Limits: l})
	if diff := cmp.Diff(Outcome{From: Coding, To: BudgetExceeded, Event: CodeComplete, Reasons: []string{RetryExceeded}}, out); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	checkTripped(t, s, Coding, CodeComplete, []string{RetryExceeded})
}

func TestAChunkWhoseReportIsBlockedIsNotCounted(t *testing.T) {
	s, l := working(Reporting), huge
	l.TotalChunks, s.Metrics.ChunksCompleted = 20, 20
	if out := must(t, s, Step{Event: ReportFiled, Blocked: failureA, Now: t1, Limits: l}); out.Tripped() || s.Phase != Reporting {
		t.Errorf("%+v: the 21st chunk is not finished yet", out)
	}
	if out := must(t, s, Step{Event: ReportFiled, Now: t1, Limits: l}); !slices.Equal(out.Reasons, []string{TotalChunks}) {
		t.Errorf("%+v: the 21st chunk is one too many", out)
	}
}

// When a budget trips the facts are kept: commits, test runs, counters. What
// the event stands for did not happen.
func TestATripKeepsTheFactsAndDropsTheEffects(t *testing.T) {
	counted := map[Event][]string{
		TestsPassed:  {"metrics.tests_run: 8"},
		TestsFailed:  {"metrics.tests_run: 8", "budgets.coding_cycles: 2", "budgets.retry_count: 3"},
		DriftBlocked: {"budgets.coding_cycles: 2", "budgets.retry_count: 3"},
		MergeFailed:  {"budgets.retry_count: 3"},
		PushFailed:   {"budgets.retry_count: 3"},
	}
	for _, p := range Drawing("").Trapped {
		for _, on := range Table.Events(p) {
			if on == Abort {
				continue
			}
			s, l := working(p), huge
			l.SessionMinutes = 9
			before := tree(s)
			must(t, s, Step{Event: on, Data: rich, Now: t1, Limits: l, Tree: "tree-1"})
			checkTripped(t, s, p, on, []string{SessionTimeout})
			got := slices.DeleteFunc(changes(before, tree(s)), ofEveryMove)
			want := with(richFacts, counted[on], []string{`budgets.exceeded_reasons: ["session_timeout"]`, "budgets.exceeded_at: " + at1, `budgets.exceeded_from_phase: "` + string(p) + `"`})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", on, p, diff)
			}
		}
	}
}
