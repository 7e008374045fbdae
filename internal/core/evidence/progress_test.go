package evidence

import (
	"testing"

	"warp/internal/core/scope"
)

// The one comment on an issue says what is done and what is not, while the work goes on and after it.
func TestProgressTellsDoneFromOpen(t *testing.T) {
	b, s := work()
	s.Criteria[0].Done = true
	b.Runs[0].Row.Lessons = []string{"the colours are in theme.go", ""}
	b.Runs[1].Row.Lessons = []string{"the colours are in theme.go"}
	b.Runs[1].Row.Role, b.Runs[1].Row.Unread = "verify", "no verdict on AC-02"
	b.Unasked = one(Unasked{Chunk: 1, Stage: UnaskedStands, Points: []scope.Point{{File: "NOTES.md", Why: "a new file that no one named", By: "codex"}}})
	body := Progress(b, s, "")
	contains(t, body, "**At work.** 1 of 2 criteria done. Branch `feature/42`. For @ada.", "**AC-01** met: it greets", "**AC-02** open", "--- FAIL: TestNew",
		"`NOTES.md`: a new file that no one named (says the verifier); the coder left it, so a person has to merge it", "as verify: no verdict on AC-02", "the colours are in theme.go", "12,345 tokens", "`warp evidence 42`")
	if i, k := len(body), len(Progress(b, s, "Merged.")); i == k {
		t.Error("the status is not told")
	}
	s.Criteria[1].Done = true
	contains(t, Progress(b, s, "Merged."), "**Merged.** Branch")
	lacks(t, Progress(b, s, "Merged."), "of 2", "--- FAIL")

	merged := MergedComment(b, s, "0123456789abcdef0123456789abcdef01234567")
	contains(t, merged, "Merged as 0123456789, for @ada.", "`NOTES.md`")
	lacks(t, merged, "AC-01", "12,345")
}

func TestTheEndOfARequirementInASentence(t *testing.T) {
	for want, o := range map[string]Outcome{
		"Merged as 0123456789.": {Result: Merged, Commit: "0123456789abcdef0123456789abcdef01234567"},
		"Merged.":               {Result: Merged},
		"Waits for a person to merge <https://example.invalid/pull/3>.": {Result: Pull, Pull: "https://example.invalid/pull/3"},
		"Failed: two criteria are open.":                                {Result: Failed, Why: "two criteria are open"},
	} {
		if have := DescribeEnd(o); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	contains(t, DescribeAbort("the budget is spent", "89abcdef0123456789abcdef0123456789abcdef"), "Not done: the budget is spent.", "kept as 89abcdef01.")
	lacks(t, DescribeAbort("the budget is spent", ""), "kept")
}

func TestWhatBecameOfWhatNoOneAskedFor(t *testing.T) {
	for end, want := range map[string]string{
		"":           "a.go: reformatted; the coder is asked to take it back",
		"left":       "a.go: reformatted; the coder left it, so a person has to merge it",
		"taken_back": "a.go: reformatted; it was taken back",
		"needed":     "a.go: reformatted; the verifier agrees that it is needed: the parser reads it",
	} {
		u := UnaskedFile{Point: scope.Point{File: "a.go", Why: "reformatted"}, End: end, Said: "the parser reads it"}
		if have := u.Words(); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	if have := DoMerge([]string{"a.go"}); have != "look at what no one asked for (\"a.go\"), and merge it" || DoMerge(nil) != "review and merge it" {
		t.Error(have)
	}
}

// A suite that was red before the work is named wherever its end is told, with the tests that fail.
func TestASuiteThatWasRedBefore(t *testing.T) {
	b := &Book{Tests: one(Tested{Stage: "clean", Red: true, Failing: []string{"TestOld"}})}
	if have := b.RedSuite(); have != RedAsBefore+`: "TestOld"` {
		t.Errorf("%q", have)
	}
	contains(t, b.redSuite(), "**The test suite is red**: `TestOld`. It already failed before this work")
	b.Tests[0].Row.Failing = nil
	if have := b.RedSuite(); have != RedAsBefore {
		t.Errorf("%q", have)
	}
	contains(t, b.redSuite(), "the runner does not name the failing tests")
	b.Tests[0].Row.Red = false
	if b.RedSuite()+b.redSuite() != "" {
		t.Error(b.RedSuite())
	}
}

func TestBriefEvidence(t *testing.T) {
	b, _ := work()
	list := b.Account("42").Criteria
	brief := list[0].Brief()
	if len(brief) != 3 || brief[0].Text != "0123456789 feat: greet" || !brief[2].Good || brief[2].Text != "met: line 3 says so" {
		t.Errorf("%+v", brief)
	}
	if brief = list[1].Brief(); len(brief) != 2 || brief[0].Good || brief[1].Good {
		t.Errorf("%+v", brief)
	}
}

func TestADefaultCanBeChanged(t *testing.T) {
	contains(t, ChangeDefault("q3"), "warp answer q3")
	contains(t, ChangeDefault(""), "answer it there")
	contains(t, TodoSettled(Subject{Issue: "7"}, Decision{Question: "which?", Answer: "sqlite", By: "ann"}), "Decided: `sqlite`", "#7 continues")
}
