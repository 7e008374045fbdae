package drivestate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/text"
)

const nameRule = "must be a string of letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'"

func TestDataReadsEveryMember(t *testing.T) {
	for _, c := range []struct {
		on   Event
		text string
		want Data
	}{
		{Start, `{}`, Data{}},
		{WorkSelected, ` { "requirement" : "42", "branch":"feature/issue-42-title" } `, Data{Requirement: "42", Branch: "feature/issue-42-title"}},
		{Committed, `{"commit":"0a1b2c3"}`, Data{Commit: "0a1b2c3"}},
		{TestsFailed, `{"failure":"it \"broke\"\n","tokens":0}`, Data{Failure: "it \"broke\"\n", Tokens: ptr(0)}},
		{NextChunk, `{"tokens":1.5e3}`, Data{Tokens: ptr(1500)}},
		{ChunksDefined, `{"chunks":[["AC-01","AC-02","AC-03"],["AC_4.a"]]}`, Data{Chunks: [][]string{{"AC-01", "AC-02", "AC-03"}, {"AC_4.a"}}}},
	} {
		got, err := ParseData(c.text, c.on, huge)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s with %s: %v (-want +got):\n%s", c.on, c.text, err, diff)
		}
	}
}

func TestDataIsRefusedWithTheMemberAndTheRule(t *testing.T) {
	const form = `must be an array of arrays of criteria, such as [["AC-01","AC-02"],["AC-03"]]`
	for _, c := range []struct {
		on         Event
		text, want string
	}{
		{Start, ``, "data is not valid JSON: line 1, column 1: unexpected end of the document"},
		{Start, `{"commit":"0a1b2c3","commit":"0a1b2c3"}`, `data is not valid JSON: line 1, column 40: the object that ends here has the member "commit" twice`},
		{Start, `[]`, "data must be an object, not an array"},
		{Start, `null`, "data must be an object, not null"},
		{Start, `"requirement"`, "data must be an object, not a string"},
		{Start, `{"issue":"42"}`, `data has the unknown member "issue"; known are branch, chunks, commit, failure, requirement, tokens`},
		{Start, `{"Branch":"b"}`, `data has the unknown member "Branch"; known are branch, chunks, commit, failure, requirement, tokens`},
		{WorkSelected, `{"requirement":42}`, "data.requirement: " + nameRule},
		{WorkSelected, `{"requirement":null}`, "data.requirement: " + nameRule},
		{WorkSelected, `{"branch":["b"]}`, `data.branch: "" is not a usable branch name`},
		{Committed, `{"commit":1234567}`, "data.commit: must be a commit hash: 7 to 64 of 0-9 and a-f"},
		{NextChunk, `{"tokens":-1}`, "data.tokens: must be a whole number, 0 or more: the session's total so far"},
		{NextChunk, `{"tokens":1.5}`, "data.tokens: must be a whole number, 0 or more: the session's total so far"},
		{NextChunk, `{"tokens":"1"}`, "data.tokens: must be a whole number, 0 or more: the session's total so far"},
		{TestsFailed, `{"failure":["x"]}`, "data.failure: must be a string, not an array"},
		{TestsPassed, `{"failure":"x"}`, `data.failure: does not go with the event "tests_passed"`},
		{PlanReady, `{"chunks":[["AC-01"]]}`, `data.chunks: goes with the event "chunks_defined", not with "plan_ready"`},
		{ChunksDefined, `{"chunks":{}}`, "data.chunks: " + form},
		{ChunksDefined, `{"chunks":[]}`, "data.chunks: " + form},
		{ChunksDefined, `{"chunks":[[]]}`, "data.chunks: " + form},
		{ChunksDefined, `{"chunks":["AC-01"]}`, "data.chunks: " + form},
		{ChunksDefined, `{"chunks":[["AC-01"],["AC-02",3]]}`, "data.chunks: chunk 2: a criterion " + nameRule},
		{ChunksDefined, `{"chunks":[["AC-01"],["AC 02"]]}`, "data.chunks: chunk 2: a criterion " + nameRule},
		{ChunksDefined, `{"chunks":[["AC-01","AC-02"],["AC-01"]]}`, "data.chunks: chunk 2: the criterion AC-01 is named twice"},
		{ChunksDefined, `{"chunks":[["A"],["B","C","D","E"]]}`, "data.chunks: chunk 2 has 4 criteria; max_acs_per_commit allows 3"},
	} {
		got, err := ParseData(c.text, c.on, huge)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s with %s\n got %v\nwant %s", c.on, c.text, err, c.want)
		}
		if diff := cmp.Diff(Data{}, got); diff != "" {
			t.Errorf("%s with %s was refused, but gave:\n%s", c.on, c.text, diff)
		}
	}
}

func TestMembersGoWithTheirEventsOnly(t *testing.T) {
	_, _, events := transitions(t)
	failing := []Event{TestsFailed, DriftBlocked, MergeFailed, PushFailed, Abort, BudgetAbort, AbortCleanupFailed}
	selecting := []Event{Start, PrerequisitesOK, WorkSelected, PlanReady, ChunksDefined, ContinueYes}
	committing := []Event{Committed, CommitWithDocGate, DriftClean, Merged, AbortResolved}
	for _, on := range events {
		for text, want := range map[string]bool{
			`{"failure":"x"}`:               slices.Contains(failing, on),
			`{"chunks":[["AC-01"]]}`:        on == ChunksDefined,
			`{"requirement":"42"}`:          slices.Contains(selecting, on),
			`{"branch":"b"}`:                slices.Contains(selecting, on),
			`{"commit":"0123456789abcdef"}`: slices.Contains(committing, on),
			`{"tokens":5}`:                  true,
		} {
			if _, err := ParseData(text, on, huge); (err == nil) != want {
				t.Errorf("%s with %s: %v, want accepted: %v", on, text, err, want)
			}
		}
	}
}

func TestNamesBranchesAndHashesAtTheirLimits(t *testing.T) {
	long := strings.Repeat("a", 200)
	with := map[string]Event{"requirement": Start, "branch": Start, "commit": Committed}
	for member, values := range map[string]map[string]bool{
		"requirement": {
			"42": true, "a": true, "A.b_c-9": true, "_": true, long[:80]: true, long[:81]: false,
			"-1": false, ".x": false, "a/b": false, "a b": false, "é": false, "": false, "a\n": false, "$(x)": false,
		},
		"branch": {
			"main": true, "feature/issue-42-title": true, "a.b/c_d": true, "fünf/日本": true, "a@b": true, "a,b%+=": true, long: true, long + "a": false,
			"": false, "/a": false, "a/": false, "a//b": false, "-a": false, "a/-b": false, ".a": false, "a/.b": false, "a..b": false, "a.": false, "a./b": false,
			"a.lock": false, "a.lock/b": false, "@": false, "a@{b": false, "a b": false, "a\tb": false, "a\u00a0b": false, "a\u007f": false, "a\u200bb": false,
			"a~b": false, "a^b": false, "a:b": false, "a?b": false, "a*b": false, "a[b": false, `a\b`: false, `a"b`: false, "a'b": false, "a`b": false, "$a": false,
			"a&b": false, "a;b": false, "a|b": false, "a<b": false, "a>b": false, "a(b": false, "a)b": false, "a{b": false, "a}b": false, "!a": false, "#a": false,
		},
		"commit": {
			"0123456": true, "abcdefa": true, long[:64]: true, long[:65]: false, "012345": false, "ABCDEF0": false, "012345g": false, "0123456 ": false, "": false,
		},
	} {
		for v, want := range values {
			_, err := ParseData(fmt.Sprintf(`{%q:%s}`, member, quoted(v)), with[member], huge)
			if (err == nil) != want {
				t.Errorf("%s %q: %v, want accepted: %v", member, v, err, want)
			}
			if member == "requirement" && text.ValidName(v) != want {
				t.Errorf("name.Valid(%q) = %v", v, !want)
			}
		}
	}
}
