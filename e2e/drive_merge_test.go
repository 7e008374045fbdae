//go:build unix

package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/testkit/messages"
)

// What the issue asks for, in two halves. The first is wrong at first, and its
// test has much to say about it.
const (
	firstWrong = "exports.upper = s => s.toUpperCase()\nexports.twice = s => s\n"
	firstTests = "const assert = require('assert')\nconst t = require('./text.js')\nassert.equal(t.upper('a'), 'A')\nassert.equal(t.twice('ab'), 'abab', 'twice is wrong\\n'.repeat(500))\n"
	second     = "exports.last = s => s.slice(-1)\nexports.empty = s => s === ''\n"
	secondTest = "assert.equal(t.last('ab'), 'b')\nassert.equal(t.empty(''), true)\n"
	lastLine   = "repeat(500))\n"
)

// model plans two chunks, does the first wrongly and fixes it, and tries on the
// way what it may not do.
func model(root string, more ...messages.Step) messages.Script {
	plan := map[string]any{"approach": strings.Repeat("Step by step. ", 300), "chunks": []any{[]any{"AC-01", "AC-02"}, []any{"AC-03", "AC-04"}}}
	code := append([]messages.Step{
		write(root+"/text.js", firstWrong), write(root+"/text.test.js", firstTests), bash("git add -A && git commit -m 'feat: by myself'"),
		bash("warp state transition . code_complete --confirm 'AC-01: x' --confirm 'AC-02: y'")}, more...)
	return messages.Script{
		"plan-AC-01":   after(answer(plan), look(root+"/tests.js")),
		"code-AC-01":   after(answer(map[string]any{"summary": "Both.", "lessons": []any{"There was nothing before"}}), code...),
		"verify-AC-01": after(met("AC-01", "AC-02"), look(root+"/text.js"), write(root+"/verifier.js", "x"), bash("touch verifier.js")),
		"fix-AC-01":    after(done("Fixed."), edit(root+"/text.js", "twice = s => s\n", "twice = s => s + s\n")),
		"code-AC-03":   after(done("The rest."), bash("printf %s \"$SECOND\" >> text.js"), look(root+"/text.test.js"), edit(root+"/text.test.js", lastLine, lastLine+secondTest)),
		"verify-AC-03": met("AC-03", "AC-04"),
	}
}

// The model is scripted, everything else is real: an approved issue is taken to
// the merged branch without a person, and warp's hooks run in every session.
func TestClaudeCodeIsDrivenToTheMerge(t *testing.T) {
	t.Parallel()
	h := drives(t, issueBody, withInit)
	h.asksLogin = true
	var owner atomic.Value
	see := messages.Step{Func: func(messages.Request) messages.Step {
		if v, err := h.drive.Read(); err == nil {
			owner.Store(fmt.Sprintf("%v %q", v.State.Session.Headless, v.State.Session.ClaudeSession))
		}
		return bash("true")
	}}
	api := messages.ServePicked(t, role, model(h.root, see))
	h.claude(api.URL, "SECOND="+second)
	h.sh(`warp config set reasoning_budget '{"planning":"low"}'; warp config set report_as issue`)
	h.run(0, "drive", "1", "--level", "3", "--max-cost", "5", "--model", "claude-sonnet-4-5")

	log := h.sh("git -C " + h.remote + " log --format=%s main; git log --format=%s main; git branch --show-current; git status --porcelain")
	merged := "feat: Text tools (#1, part 2 of 2)\nfeat: Text tools (#1, part 1 of 2)\nchore: warp\nchore: begin\n"
	if log != merged+merged+"main\n?? .claude/issues/" {
		t.Errorf("merged:\n%s", log)
	}
	issue := h.sh("cat .claude/issues/1.md; node tests.js; head -2 .claude/issues/[2-9].md")
	for _, want := range []string{"state: closed", "[x] AC-01", "[x] AC-02", "[x] AC-03", "[x] AC-04", "## Approach", "chunk 1/2", "chunk 2/2", "session summary", "lesson: There was nothing before"} {
		if !strings.Contains(issue, want) {
			t.Errorf("the tracker lacks %q:\n%s", want, issue)
		}
	}
	if s := h.state(); s.Phase != drivestate.Completed || len(s.CommitHashes) != 2 || s.Frozen != nil {
		t.Errorf("in %s, commits %v, frozen %+v", s.Phase, s.CommitHashes, s.Frozen)
	}
	proven(t, h, evidence.Merged, 4, 6) // no verifier is asked about code whose tests fail
	if tests := h.evidence().Criteria[0].Tests; len(tests) != 2 || tests[0].Passed || !tests[1].Passed {
		t.Errorf("the tests of the first chunk: %+v", tests)
	}

	calls := h.calls()
	var roles []string
	for _, c := range calls {
		roles = append(roles, c[0]+" "+flag(c, "--effort"))
	}
	if want := "plan low, code medium, fix medium, verify high, code medium, verify high"; strings.Join(roles, ", ") != want {
		t.Errorf("it was called as %q", roles)
	}
	if session := flag(calls[2], "--resume"); session == "" || owner.Load() != `true ""` { // it is the engine's alone
		t.Errorf("the drive belonged to %s, the session was %q", owner.Load(), session)
	}
	afford(t, calls, h.evidence().Cost)
	refusals(t, api)
	small(t, api)
}

// proven wants evidence for every criterion.
func proven(t *testing.T, h *headless, want evidence.Result, criteria, runs int) {
	t.Helper()
	a := h.evidence()
	if a.Outcome == nil || a.Outcome.Result != want || len(a.Criteria) != criteria || a.Cost.MicroUSD == 0 || a.Cost.Unpriced != 0 || a.Cost.Runs != runs {
		t.Fatalf("%v, %d criteria, %+v", a.Outcome, len(a.Criteria), a.Cost)
	}
	for _, c := range a.Criteria {
		if !c.Met || c.Verdict == nil || !c.Verdict.Met || c.Verdict.Agent != "claude" || len(c.Commits) != 1 || c.Commits[0].Files != 2 || c.Cost.MicroUSD == 0 || len(c.Gates) == 0 {
			t.Errorf("%s: %+v", c.ID, c)
		}
	}
}

// afford wants each run to get what those before it have left of five dollars.
func afford(t *testing.T, calls [][]string, cost evidence.Cost) {
	t.Helper()
	left := 5.0
	for _, c := range calls {
		if c[1] != "-p" || flag(c, "--model") != "claude-sonnet-4-5" {
			t.Errorf("called with %q", c)
		}
		budget, err := strconv.ParseFloat(flag(c, "--max-budget-usd"), 64)
		if err != nil || budget > left || left < 5 && budget == left {
			t.Errorf("a budget of %q, after %v", flag(c, "--max-budget-usd"), left)
		}
		left = budget
	}
	if spent := 5 - left; spent <= 0 || spent >= float64(cost.MicroUSD)/1e6 {
		t.Errorf("before the last run $%f were spent, of $%f in all", spent, float64(cost.MicroUSD)/1e6)
	}
}

// refusals looks at what the model was told of what it may not do, and that it
// was never told to do what warp does.
func refusals(t *testing.T, api *messages.Server) {
	t.Helper()
	coded := api.Await("code-AC-01", 4).ToolResults()
	if !coded[2].Error || !strings.Contains(coded[2].Text, "only allowed during committing phase") || !coded[3].Error || !strings.Contains(coded[3].Text, "does this itself") {
		t.Errorf("the commit: %s\nthe transition: %s", coded[2].Text, coded[3].Text)
	}
	if judged := api.Await("verify-AC-01", 3); !judged.ToolResults()[1].Error || !judged.ToolResults()[2].Error || slices.Contains(judged.Tools, "Bash") {
		t.Errorf("the verifier could do more than look: %v %+v", judged.Tools, judged.ToolResults())
	}
	for _, q := range api.Requests() {
		text := q.Text()
		if !strings.Contains(text, "[warp-drive] warp drive runs you for issue #1") {
			t.Errorf("%s was not told what runs it", q.Scenario)
		}
		if q.Step == 0 && !strings.HasPrefix(q.Scenario, "fix") && (strings.Contains(text, "state transition") || strings.Contains(text, "code_complete")) {
			t.Errorf("%s was told of transitions", q.Scenario)
		}
	}
}

// small measures what the engine and its hooks add to a coding prompt.
var quoted = regexp.MustCompile("(?s)```untrusted\n.*?\n```\n")

func small(t *testing.T, api *messages.Server) {
	t.Helper()
	for _, name := range []string{"code-AC-01", "fix-AC-01", "code-AC-03"} {
		added := 0
		for _, m := range api.Await(name, 0).Messages {
			if m.Role == "assistant" {
				added = 0 // a turn before
			}
			for _, b := range m.Blocks {
				switch _, hook, found := strings.Cut(b.Text, "[warp-drive]"); {
				case role(b.Text) == name:
					added += len(quoted.ReplaceAllString(b.Text, "")) // the issue, the approach, lessons, the log
				case found && b.Type == "text":
					added += len(hook)
				}
			}
		}
		t.Logf("%s: %d characters beside what is quoted", name, added)
		if added == 0 || added >= 3500 {
			t.Errorf("the engine adds %d characters to %s", added, name)
		}
	}
}
