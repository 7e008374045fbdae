package drivestate

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
	"warp/internal/core/testoutput"
)

// t0 is when the sessions of the tests begin, t1 when something happens in them.
var (
	t0 = time.Date(2026, 5, 8, 15, 57, 0, 0, time.UTC)
	t1 = t0.Add(10 * time.Minute)
)

// huge are limits that nothing in a test outruns.
var huge = Limits{
	PhaseMinutes: 1_000_000, PhaseEnforcement: Block, Retries: 1_000_000, CodingCycles: 1_000_000, NoProgress: 1_000_000,
	TotalChunks: 1_000_000, SessionMinutes: 1_000_000, EditsPerFile: 1_000_000, ACsPerCommit: 3,
}

// working is a drive in a phase, with something in every part of its document,
// so that whatever is reset shows.
func working(p Phase) *State {
	s := New(Begin{
		Session: Session{Level: 3, PID: 51506, GitHubUser: "somebody"}, Issue: "42", Branch: "feature/issue-42",
		MainBranch: "main", MergeTarget: "main", MergeStrategy: "ff-only", Now: t0,
	})
	s.Phase = p
	s.Chunk = Chunk{Index: 2, Total: 3, ACs: [][]string{{"AC-01", "AC-02"}, {"AC-03"}, {"AC-04"}}, Base: "tree-0"}
	s.Checklist = Checklist{true, true, true, true}
	s.Budgets.RetryCount, s.Budgets.CodingCycles = 2, 1
	s.Budgets.NoProgress = &Progress{1, "signature", "tree-0"}
	s.EditCounts = map[string]int{"a.go": 3}
	s.CommitHashes = []string{"1111111"}
	s.Metrics = Metrics{Commits: 4, ReportsFiled: 1, TestsRun: 7, ChunksCompleted: 1}
	s.Completed = []*lossless.Value{lossless.NewInt(1)}
	s.Tokens = Tokens{SessionTotal: lossless.NewInt(1000), ChunkSnapshots: []*lossless.Value{}, CurrentStartedAt: optional(Stamp(t0))}
	switch p {
	case BudgetExceeded:
		s.Budgets.ExceededReasons, s.Budgets.ExceededAt, s.Budgets.ExceededFromPhase = []string{PhaseTimeout}, Stamp(t0), Testing
	case Aborted:
		s.Aborted = true
	}
	return s
}

func tree(s *State) *lossless.Value { return lossless.Encode(s, nil) }

func printed(s *State) string { return string(lossless.AppendIndent(nil, tree(s))) }

// must applies a step that has to be allowed.
func must(t testing.TB, s *State, st Step) Outcome {
	t.Helper()
	st.Sign = testoutput.Signature
	out, err := s.Apply(st)
	if err != nil {
		t.Fatalf("%s in %s: %v", st.Event, s.Phase, err)
	}
	return out
}

// refused applies a step that has to be refused, and to leave no trace.
func refused(t testing.TB, s *State, st Step) error {
	t.Helper()
	before := printed(s)
	out, err := s.Apply(st)
	switch {
	case err == nil:
		t.Errorf("%s in %s was allowed: %+v", st.Event, s.Phase, out)
		return fmt.Errorf("allowed")
	case printed(s) != before:
		t.Errorf("%s in %s was refused, but changed the document:\n%s", st.Event, s.Phase, printed(s))
	case out.To != "" || out.Tripped():
		t.Errorf("%s in %s was refused with an outcome: %+v", st.Event, s.Phase, out)
	}
	return err
}

// changes lists what differs between two documents, one line per member; an
// array counts as one value.
func changes(before, after *lossless.Value) []string {
	was, is := map[string]string{}, map[string]string{}
	flatten(was, "", before)
	flatten(is, "", after)
	delete(was, "budgets.time_up_at") // follows from the clock and the limits: see time_test.go
	delete(is, "budgets.time_up_at")
	var lines []string
	for path, v := range is {
		if was[path] != v {
			lines = append(lines, path+": "+v)
		}
	}
	for path := range was {
		if _, there := is[path]; !there {
			lines = append(lines, path+": gone")
		}
	}
	sort.Strings(lines)
	return lines
}

func flatten(into map[string]string, path string, v *lossless.Value) {
	if v.Kind != lossless.Object || len(v.Members) == 0 {
		into[strings.TrimPrefix(path, ".")] = string(lossless.AppendCompact(nil, v))
	}
	for _, m := range v.Members {
		flatten(into, path+"."+m.Key, m.Value)
	}
}

// ignoreRest compares rows by what they say.
var ignoreRest = cmp.Comparer(func(a, b lossless.Origin) bool { return true })
