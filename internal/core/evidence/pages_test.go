package evidence

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

const later, latest = "2026-11-15T01:10:00.000Z", "2026-11-15T01:20:00.000Z"

func work() (*Book, Subject) {
	b := &Book{
		Runs: append(one(Run{Issue: "42", Chunk: 1, Role: "code", Agent: "demo", End: "done", Criteria: []string{"AC-01"}, Input: 1000, MicroUSD: 250_000, Seconds: 5}),
			Entry[Run]{2, later, Run{Issue: "42", Chunk: 2, Role: "code", Agent: "demo", End: "done", Criteria: []string{"AC-02"}, Input: 11_345, Unpriced: true, Seconds: 5}}),
		Verdicts: append(one(Verdict{Issue: "42", Chunk: 1, ID: "AC-01", Met: true, Reason: "line 3 says so"}), Entry[Verdict]{2, later, Verdict{Issue: "42", Chunk: 2, ID: "AC-02", Reason: "it does not"}}),
		Commits:  one(Commit{Issue: "42", Chunk: 1, Hash: "0123456789abcdef0123456789abcdef01234567", Subject: "feat: greet", Criteria: []string{"AC-01"}, Files: 2, Insertions: 10, Deletions: 3}),
		Tests: append(one(Tested{Issue: "42", Chunk: 1, Stage: "chunk", Command: "go test ./...", Red: true, Failing: []string{"TestOld"}, Seconds: 0.4}),
			Entry[Tested]{2, later, Tested{Issue: "42", Chunk: 2, Stage: "chunk", Exit: 1, Failing: []string{"TestNew"}, Excerpt: "--- FAIL: TestNew"}}),
	}
	return b, Subject{Issue: "42", Title: "Greet", User: "ada", Branch: "feature/42", Level: 3, Chunk: 1, Total: 2, Started: "2026-11-15T00:59:00.000Z", Ended: latest,
		Criteria: []Named{{ID: "AC-01", Text: "it greets"}, {ID: "AC-02", Text: "in colour"}}}
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
}

func lacks(t *testing.T, text string, bad ...string) {
	t.Helper()
	for _, w := range bad {
		if strings.Contains(text, w) {
			t.Errorf("%q is in\n%s", w, text)
		}
	}
}

func TestAChunkReportIsAboutItsChunk(t *testing.T) {
	b, s := work()
	title, body := ChunkReport(b, s)
	if title != "warp-drive: #42 chunk 1/2" {
		t.Errorf("%q", title)
	}
	contains(t, body, "@ada", "#42", "**AC-01** met: it greets", "met: line 3 says so", "0123456789 `feat: greet` (2 files, +10 -3)",
		"red as before, nothing new fails, `go test ./...`, 0.4 s", "`TestOld`", "cost: $0.25; 1,000 tokens, 1 run", "21 min 0 s from")
	lacks(t, body, "AC-02", "TestNew", "unknown")

	s.Chunk = 2
	_, body = ChunkReport(b, s)
	contains(t, body, "**AC-02** open", "not met: it does not", "failed, exit code 1", "--- FAIL: TestNew", "cost: unknown; 11,345 tokens", "20 min 0 s from")
	lacks(t, body, "AC-01", "$0.00")
}

func TestAPullRequestClosesOnlyWhatIsDone(t *testing.T) {
	b, s := work()
	s.Criteria[0].Done = true
	contains(t, PullBody(b, s), "Greet\n\nPart of #42: 1 of 2 criteria are not done.", "12,345 tokens")
	lacks(t, PullBody(b, s), "Closes", "$")
	s.Criteria[1].Done = true
	contains(t, PullBody(b, s), "Closes #42\n")
}

func TestAnAbortReportTellsDoneFromOpen(t *testing.T) {
	b, s := work()
	s.Criteria[0].Done, s.Criteria[1].Skipped = true, true
	title, body := AbortReport(b, s, "stopped", "refs/warp/kept/1")
	if title != "warp-drive: #42 aborted" {
		t.Errorf("%q", title)
	}
	done, open, _ := strings.Cut(body, "## Open")
	contains(t, done, "Why: `stopped`", "kept as `refs/warp/kept/1`", "**AC-01** met")
	contains(t, open, "**AC-02** given up", "warp drive 42")
	_, body = AbortReport(b, s, "stopped", "")
	contains(t, body, "no work in progress to keep")
}

func TestABugTellsWhatWasTried(t *testing.T) {
	b, s := work()
	title, body := BugDeferred(b, s, Skipped{Issue: "42", Chunk: 2, Criteria: []string{"AC-02"}, Why: "no progress", Kept: "refs/warp/x"})
	if title != "warp-drive: #42 chunk 2/2 given up" {
		t.Errorf("%q", title)
	}
	contains(t, body, "Why: `no progress`", "`refs/warp/x`", "in colour", "## What was tried", "`demo` as `code`", "## Last failure", "--- FAIL: TestNew")
	lacks(t, body, "it greets", "TestOld")
}

// The names of budgets are for programs: a bug says in words what ended the chunk.
func TestABugNamesNoCode(t *testing.T) {
	b, s := work()
	_, body := BugDeferred(b, s, Skipped{Issue: "42", Chunk: 2, Criteria: []string{"AC-02"}, Why: "[coding_cycles_exceeded no_progress]: --- FAIL: TestNew"})
	contains(t, body, "Why: `it took more coding cycles than max_coding_cycles allows, and it failed in the same way again, with no new change (max_no_progress): --- FAIL: TestNew`")
	lacks(t, body, "coding_cycles_exceeded", "no_progress]")
	_, body = BugDeferred(b, s, Skipped{Issue: "42", Chunk: 2, Why: "[later_code]"})
	contains(t, body, "Why: `later_code`")
	_, body = BugDeferred(b, s, Skipped{Issue: "42", Chunk: 2, Why: "[half"})
	contains(t, body, "Why: `[half`")
}

func TestASummaryHasEveryRequirement(t *testing.T) {
	b, s := work()
	b.Outcomes = append(one(Outcome{Issue: "41", Title: "First", Result: Merged, Commit: "fedcba9876543"}), Entry[Outcome]{3, latest, Outcome{Issue: "42", Result: Partly, Why: "no colour", Do: "look"}})
	title, body := SessionSummary(b, s)
	if title != "warp-drive: session summary 2026-11-15: 1 of 2 done" {
		t.Errorf("%q", title)
	}
	contains(t, body, "1 of 2 requirements done", "@ada", "#41 `First`: merged, fedcba9876", "#42 `Greet`: partly done", "why: `no colour`", "what to do: `look`", "**AC-01** met: it greets", "**AC-02** open: in colour")
}

func TestATodoSaysWhatWasLeftUndone(t *testing.T) {
	_, s := work()
	title, body := Todo(s, Decision{Question: "Which database?\nWe have two.", Options: []string{"one", "two"}, Default: "one"})
	if title != "todo: Which database?" {
		t.Errorf("%q", title)
	}
	contains(t, body, "We have two.", "- `one`\n- `two`", "was not done", "proposes `one`", "warp drive 42")
	_, body = Todo(s, Decision{Question: "?"})
	lacks(t, body, "proposes")
	b := &Book{Decisions: one(Decision{Question: "?", Default: "one"})}
	_, body = AbortReport(b, s, "stopped", "")
	contains(t, body, "`?`: no answer, so what depends on it was not done")
	lacks(t, body, "went on")
	_, body = DecisionRecord(s, Decision{Question: "?", Answer: "two", By: "ada"})
	contains(t, body, "Answer: `two`, said `ada`")
}

// The person named in the settings hears of everything that waits or was given up.
func TestPagesMentionTheUser(t *testing.T) {
	b, s := work()
	for name, page := range map[string]func() (string, string){
		"todo":     func() (string, string) { return Todo(s, Decision{Question: "?"}) },
		"decision": func() (string, string) { return DecisionRecord(s, Decision{Question: "?", Answer: "!"}) },
		"lesson":   func() (string, string) { return Lesson(s, "look first") },
		"bug":      func() (string, string) { return BugDeferred(b, s, Skipped{Chunk: 2}) },
		"abort":    func() (string, string) { return AbortReport(b, s, "stopped", "") },
		"report":   func() (string, string) { return ChunkReport(b, s) },
		"summary":  func() (string, string) { return SessionSummary(b, s) },
		"closing":  func() (string, string) { return "", ClosingComment(b, s, "") },
		"pull":     func() (string, string) { return "", PullBody(b, s) },
	} {
		if _, body := page(); !strings.Contains(body, "@ada") {
			t.Errorf("%s:\n%s", name, body)
		}
	}
}

func TestTheWayOnFromASpentBudget(t *testing.T) {
	for want, reasons := range map[string][]string{
		"warp resume --fresh grants":                 {drivestate.RetryExceeded},
		"warp resume --max-cost MORE grants":         {drivestate.CostExceeded},
		"warp resume --max-tokens MORE grants":       {drivestate.TokensExceeded},
		"warp resume --fresh --max-cost MORE grants": {drivestate.CostExceeded, drivestate.NoProgress},
		"warp resume --max-time MORE grants":         {drivestate.TimeExceeded},
	} {
		s := &drivestate.State{}
		s.Budgets.ExceededReasons, s.Budgets.ExceededFromPhase = reasons, drivestate.Coding
		contains(t, BudgetAdvice(s), want)
		s.Budgets.ExceededFromPhase = drivestate.Planning
		if got := BudgetAdvice(s); got != "warp stop; nothing was coded yet" {
			t.Error(got)
		}
	}
}

// A drive that is resumed without its limits would go on without any.
func TestAdviceRepeatsTheLimits(t *testing.T) {
	caps := budget.Caps{MicroUSD: 2_500_000, Tokens: 9, Time: 90 * time.Minute}
	for advice, want := range map[string]string{
		"fix it, then warp resume":                "fix it, then warp resume --max-cost 2.5 --max-tokens 9 --max-time 1h30m",
		"warp resume --max-tokens MORE grants":    "warp resume --max-cost 2.5 --max-time 1h30m --max-tokens MORE grants",
		"warp resume 42":                          "warp resume 42 --max-cost 2.5 --max-tokens 9 --max-time 1h30m",
		"warp evidence 7; warp drive 7 tries":     "warp evidence 7; warp drive 7 --max-cost 2.5 --max-tokens 9 --max-time 1h30m tries",
		"warp answer 1 red":                       "warp answer 1 red",
		"warp resume --max-cost MORE --fresh; ok": "warp resume --max-tokens 9 --max-time 1h30m --max-cost MORE --fresh; ok",
	} {
		if got := RepeatCaps(advice, "", caps); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := RepeatCaps(advice, "7", budget.Caps{}); got != advice {
			t.Errorf("without limits: %q", got)
		}
	}
	if got := RepeatCaps("warp resume", "7", budget.Caps{Until: "07:00"}); got != "warp resume 7 --until 07:00" {
		t.Error(got)
	}
}

func TestMoneyThatIsNotKnownIsNotNothing(t *testing.T) {
	for want, c := range map[string]Cost{
		"$0.00":   {Runs: 1},
		"$0.0042": {Runs: 1, MicroUSD: 4200},
		"$12.35":  {Runs: 1, MicroUSD: 12_346_000},
		"unknown": {Runs: 2, Unpriced: 2},
		"at least $0.00 (1 of 2 runs with an unknown price)": {Runs: 2, Unpriced: 1},
	} {
		if got := c.Money(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Tokens that no one counted are not named.
func TestTokensThatAreNotKnown(t *testing.T) {
	for want, c := range map[string]Cost{
		"unknown; 2 runs, 3.0 s":              {Runs: 2, Unpriced: 2, Seconds: 3},
		"unknown; 1,200 tokens, 1 run, 3.0 s": {Runs: 1, Unpriced: 1, Seconds: 3, Tokens: 1200},
		"$0.25; 0 tokens, 1 run, 3.0 s":       {Runs: 1, Seconds: 3, MicroUSD: 250_000},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// No sandbox of ours holds a person's session.
func TestASessionIsNotUncontained(t *testing.T) {
	b := &Book{}
	for _, r := range []Run{{Agent: ofSession, Holds: "not contained"}, {Agent: "claude", Holds: "contained"}} {
		b.Runs = append(b.Runs, Entry[Run]{Row: r})
	}
	if got := b.contained(); got != "1 of 2 runs were contained, 1 of 2 runs were in your session" {
		t.Error(got)
	}
}

func TestSpans(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0.0 s", 9.94: "9.9 s", 12.4: "12 s", 59.6: "1 min 0 s", 3599: "59 min 59 s", 7500: "2 h 5 min", -3: "0.0 s"} {
		if got := text.Span(seconds); got != want {
			t.Errorf("%v: %q, want %q", seconds, got, want)
		}
	}
}
