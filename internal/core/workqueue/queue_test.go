package workqueue

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
)

var noon = time.Date(2026, 1, 29, 10, 45, 0, 0, time.UTC)

func parse(t testing.TB, text string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func decoded(t testing.TB, text string) *Queue {
	t.Helper()
	q := &Queue{}
	if err := lossless.Decode(parse(t, text), q); err != nil {
		t.Fatal(err)
	}
	return q
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func ptr(n int) *int { return &n }

func TestTheDocumentIsTheDocumentedOne(t *testing.T) {
	q := &Queue{
		Version: 1, Task: "implement user authentication", Iteration: 3, ConsecutivePasses: 1,
		Items: []Item{
			{ID: "work-001", Priority: S1, Title: "Implement auth endpoints", Description: "Create /api/auth/login and /api/auth/logout", Status: Done, AddedIteration: 1, CompletedIteration: ptr(2)},
			{ID: "work-002", Priority: S2, Title: "Update CHANGELOG", Description: "Add entry for auth feature", Status: Pending, AddedIteration: 2},
		},
	}
	for _, gate := range []string{"lint", "type", "test"} {
		q.GateResults = append(q.GateResults, NamedResult{gate, GateResult{Status: Pass, Timestamp: "..."}})
	}
	want := lossless.AppendIndent(nil, parse(t, read(t, "work_queue.json")))
	if diff := cmp.Diff(string(want), string(lossless.AppendIndent(nil, lossless.Encode(q, nil)))); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptyQueueHasEveryMember(t *testing.T) {
	got := string(lossless.AppendCompact(nil, lossless.Encode(&Queue{Version: 1}, nil)))
	if want := `{"version":1,"task":"","iteration":0,"consecutive_passes":0,"items":[],"gate_results":{}}`; got != want {
		t.Error(got)
	}
}

func TestWhatOthersAddIsKept(t *testing.T) {
	const text = `{"version":1,"mine":{"a":1.0},"task":"t","iteration":2,"consecutive_passes":0,
		"items":[{"id":"work-001","estimate":3.50,"priority":"S1","title":"a","description":"","status":"done","added_iteration":1,"completed_iteration":1},
		         {"id":"work-002","priority":"S2","title":"b","description":"","status":"pending","added_iteration":1,"completed_iteration":null,"owner":"ann"}],
		"gate_results":{"zeta":{"status":"pass","timestamp":"x","took":1.250},"alpha":{"status":"odd","timestamp":"y"}}}`
	src, q := parse(t, text), &Queue{}
	if err := lossless.Decode(src, q); err != nil {
		t.Fatal(err)
	}
	if got := lossless.Encode(q, src); got != src {
		t.Fatalf("unchanged, it became %s", lossless.AppendCompact(nil, got))
	}
	if _, err := q.Move("2", S0, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Move("1", "", "2"); err != nil {
		t.Fatal(err)
	}
	q.Gate(GateRun{Name: "zeta", Status: Fail, At: noon, Output: "no"})
	got := string(lossless.AppendCompact(nil, lossless.Encode(q, src)))
	for _, want := range []string{
		`"mine":{"a":1.0}`, `{"id":"work-001","estimate":3.50,"priority":"S0"`, `"completed_iteration":null,"owner":"ann"}`,
		`"gate_results":{"zeta":{"status":"fail","timestamp":"2026-01-29T10:45:00Z","iteration":2,"issues":1,"severity":"S1","took":1.250},"alpha":{"status":"odd","timestamp":"y"}}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if Validate(q) != nil || q.GateResults.Get("alpha").Passed() {
		t.Error("a word that we do not know lets nothing pass")
	}
}

func TestWhatIsNoQueueIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"gate_results":[]}`:                          "gate_results must be an object, not an array",
		`{"gate_results":{"lint":{"status":1}}}`:       "gate_results.lint.status must be a string, not a number",
		`{"gate_results":{"lint":"pass"}}`:             "gate_results.lint must be an object, not a string",
		`{"items":{"id":"work-001"}}`:                  "items must be an array, not an object",
		`{"loop":{"record":{"before":{"stale":"x"}}}}`: "loop.record.before.stale must be a whole number, not a string",
	} {
		if err := lossless.Decode(parse(t, text), &Queue{}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, q := range []Queue{{Iteration: -1}, {ConsecutivePasses: -1}, {Items: []Item{{}}}, {Items: []Item{{ID: "a"}, {ID: "a"}}}} {
		if Validate(&q) == nil {
			t.Errorf("%+v", q)
		}
	}
	if q := decoded(t, `{"gate_results":null,"items":null}`); Validate(q) != nil || len(q.GateResults) != 0 {
		t.Errorf("%+v", q)
	}
}

func TestANewLoop(t *testing.T) {
	q := &Queue{Iteration: 4}
	q.Add(Found{Title: "left", Source: FromPerson})
	q.ConsecutivePasses = 1
	q.Begin(noon)
	if q.Loop.Phase != Contextualize || q.Loop.Started != "2026-01-29T10:45:00Z" || q.ConsecutivePasses != 0 || q.Open() != 1 || q.Loop.Record.Iteration != 4 {
		t.Errorf("%+v %+v", q, q.Loop)
	}
	if q := newQueue("task", noon); q.Task != "task" || q.Version != Version || q.Loop == nil {
		t.Errorf("%+v", q)
	}
}

// titles lists items in short: "S1 a pending".
func titles(list []Item) (out []string) {
	for _, it := range list {
		out = append(out, fmt.Sprintf("%s %s %s", it.Priority, it.Title, it.Status))
	}
	return out
}

// newQueue is the queue of a loop that begins.
func newQueue(task string, now time.Time) *Queue {
	q := &Queue{Version: Version, Task: task}
	q.Begin(now)
	return q
}
