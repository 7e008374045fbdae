package evidence

import (
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// book takes rows a minute apart.
func book(rows ...any) *Book {
	b := &Book{}
	for n, row := range rows {
		b.Take(event.Row{At: event.Stamp(time.Date(2026, 11, 14, 20, n, 0, 0, time.UTC)), Kind: kindOf(row), Data: lossless.Encode(row, nil), Standing: event.Signed})
	}
	return b
}

func kindOf(row any) string {
	switch row.(type) {
	case Run:
		return event.Run
	case Tested:
		return event.Tested
	case Gate:
		return event.Gate
	case Skipped:
		return event.Skipped
	case Outcome:
		return event.Outcome
	case Filed:
		return event.Filed
	case PassedOver:
		return event.PassedOver
	}
	return event.Decision
}

func TestTheReasonIsWhatAPersonCanLookFor(t *testing.T) {
	code := Run{Issue: "1", Chunk: 1, Role: "code", End: "done"}
	fix := Run{Issue: "1", Chunk: 1, Role: "fix", End: "done"}
	red := Tested{Issue: "1", Chunk: 1, Stage: "chunk", Exit: 1, Failing: []string{"TestAdd"}}
	spent := Skipped{Issue: "1", Chunk: 1, Why: "[retry_exceeded]: --- FAIL"}
	for name, c := range map[string]struct {
		rows []any
		want string
	}{
		"a test":  {[]any{code, red, fix, red, spent}, "chunk 1: TestAdd still fails (2 attempts)"},
		"several": {[]any{code, Tested{Chunk: 1, Stage: "chunk", Broke: []string{"A", "B", "C", "D"}}, spent}, "chunk 1: A, B, C and 1 more still fail (1 attempt)"},
		"no test": {[]any{code, Tested{Chunk: 1, Stage: "chunk", Exit: 7}, spent}, "chunk 1: the tests fail with exit code 7 (1 attempt)"},
		"secrets": {[]any{code, Tested{Chunk: 1, Stage: "chunk", Command: "the scan for secrets", Excerpt: "it would publish secrets:\n  a.txt:1: a key"}, spent},
			"chunk 1: the scan for secrets: it would publish secrets: a.txt:1: a key (1 attempt)"},
		"a gate after it":     {[]any{code, red, Gate{Chunk: 1, Gate: "diff", Reason: "the diff is empty\nx"}, spent}, "chunk 1: the diff is empty (1 attempt)"},
		"a gate before it":    {[]any{code, Gate{Chunk: 1, Gate: "diff", Reason: "the diff is empty"}, red, spent}, "chunk 1: TestAdd still fails (1 attempt)"},
		"an agent":            {[]any{Run{Chunk: 1, Role: "code", Agent: "claude", End: "api_error", Why: "overloaded"}, spent}, "chunk 1: claude ended as api error: overloaded (1 attempt)"},
		"a question":          {[]any{code, red, Skipped{Chunk: 1, Why: "a decision is needed: sqlite?"}}, "chunk 1: a decision is needed: sqlite?"},
		"another chunk's":     {[]any{code, red, Skipped{Chunk: 2, Why: "AC-02 depends on AC-01, which was given up"}}, "chunk 2: AC-02 depends on AC-01, which was given up"},
		"nothing was skipped": {[]any{code, red}, ""},
	} {
		if got := book(c.rows...).Reason(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Nothing stale waits for a person.
func TestWhatIsSettledWaitsForNobody(t *testing.T) {
	bug := Filed{Issue: "3", What: "bug", Number: 9, Title: "given up"}
	todo := Filed{Issue: "3", What: "todo", Number: 10, Title: "todo: sqlite?"}
	for name, c := range map[string]struct {
		rows []any
		want int
	}{
		"both wait":            {[]any{bug, todo}, 2},
		"merged since":         {[]any{bug, todo, Outcome{Issue: "3", Result: Merged}}, 0},
		"another merged":       {[]any{bug, todo, Outcome{Issue: "4", Result: Merged}}, 2},
		"filed after a merge":  {[]any{Outcome{Issue: "3", Result: Merged}, bug}, 1},
		"closed by warp":       {[]any{bug, todo, Filed{Issue: "3", What: "settled", Number: 9}}, 1},
		"answered":             {[]any{bug, todo, Decision{Issue: "3", Question: "sqlite?", Answer: "yes"}}, 1},
		"another was answered": {[]any{todo, Decision{Issue: "3", Question: "postgres?", Answer: "yes"}}, 1},
	} {
		if got := book(c.rows...).Digest(time.Time{}).Waiting; len(got) != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWhatWasPassedOverAndTakenUpLaterIsNotListed(t *testing.T) {
	d := book(PassedOver{Issue: "4", Title: "Sort", Why: "old"}, PassedOver{Issue: "5", Why: "it waits for #4"}, PassedOver{Issue: "4", Title: "Sort", Why: "it has no criteria"},
		Run{Issue: "5", Chunk: 1}).Digest(time.Time{})
	if len(d.PassedOver) != 1 || d.PassedOver[0].Why != "it has no criteria" {
		t.Errorf("%+v", d.PassedOver)
	}
}
