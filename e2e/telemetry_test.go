//go:build unix

package e2e

import (
	"strings"
	"testing"

	"warp/internal/testkit/messages"
)

// mishaps are commands that fail, one of each class and more, with what the agent is told
// before it goes on.
var mishaps = []struct{ class, command, told string }{
	{"network", "node -e \"require('http').get('http://127.0.0.1:9/').on('error', e => { console.error(String(e)); process.exit(1) })\"", "network error, retry 1 of 3: wait until "},
	{"rate_limit", "echo 'HTTP 429 Too Many Requests, retry-after: 90' >&2; exit 1", "rate limit, retry 1 of 3: wait until "},
	{"timeout", "timeout 0.1 tail -f /dev/null", "time-out, retry 1 of 2: repeat the call now"},
	{"syntax", "node broken.js", "in the work queue as work-001 (S0)"},
	{"permission", "./not-executable", "permission error: do not retry, and do not work around it"},
	{"resource", "echo x > /dev/full", "retry 1 of 2: free some, wait until "},
	{"validation", "node validate.js", "in the work queue as work-002 (S1)"},
	{"syntax", `echo "never closed`, "in the work queue as work-003 (S0)"},
	{"unknown", "no-such-program-1", "unknown error: it is logged"},
	{"unknown", "no-such-program-2", "unknown error: it is logged"},
	{"unknown", "no-such-program-3", "3 unknown errors in a row: a person was asked about them (q1 in the inbox)"},
}

// findings are what a subagent ends with.
const findings = "I looked.\n```json\n" + `{"findings":[{"severity":"S1","category":"security","title":"No rate limit","details":"in login","recommendation":"add one"}],"recommendations":["use one library"],"files_analyzed":["./go.mod"]}` + "\n```"

// audit starts the subagent.
var audit = use("Agent", map[string]any{"description": "Audit auth", "prompt": "[[scenario:sub]] look", "subagent_type": "general-purpose", "run_in_background": false})

// No drive is under way: an agent is told what to do about each of its errors, and the session
// that asked gets what its subagent found.
func TestErrorsAndFindingsWithoutADrive(t *testing.T) {
	p := newProject(t, 2)
	p.write("broken.js", "function f( {\n")
	p.write("validate.js", "class ValidationError extends Error { constructor(m) { super(m); this.name = 'ValidationError' } }\nthrow new ValidationError(\"data must have required property 'id'\")\n")
	p.write("not-executable", "#!/bin/sh\n")
	var steps []messages.Step
	for _, m := range mishaps {
		steps = append(steps, bash(m.command))
	}
	read := make(chan struct{}) // the end of the session takes away what is read
	steps = append(steps, bash("echo closed"), audit, messages.Step{Tools: bash("echo after").Tools, Pause: read}, messages.Step{Text: "Done."})
	api := messages.Serve(t, messages.Script{
		"x":   steps,
		"sub": {look(p.root + "/go.mod"), use("Grep", map[string]any{"pattern": "module", "path": p.root}), {Text: findings}},
	})
	run := start(t, p.options(api, "[[scenario:x]] implement user authentication"))
	api.Await("x", len(mishaps)+2)
	errors := p.sh(`jq -c '[[.errors[] | .classification], .summary]' .claude/state/errors/classified.json`)
	if want := `[["network","rate_limit","timeout","syntax","permission","resource","validation","syntax","unknown","unknown","unknown"],{"total":11,"recovered":1,"pending":7,"escalated":1,"queued":2,"logged":0}]`; errors != want {
		t.Errorf("classified as %s, want %s", errors, want)
	}
	want := `["general-purpose","Audit auth","success",[{"severity":"S1","category":"security","title":"No rate limit","details":"in login","recommendation":"add one"}],["use one library"],["go.mod"],{"files_read":1,"issues_found":1}]`
	if got := p.sh(`jq -c '[.type, .task, .status, .findings, .recommendations, .files_analyzed, .metrics]' .claude/state/agents/results/*.json`); got != want {
		t.Errorf("the result is %s, want %s", got, want)
	}
	close(read)
	r := run.Wait()
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	if !strings.Contains(string(r.Stdout), "permission error (Bash) needs you") {
		t.Errorf("the user is not told:\n%s", r.Stdout)
	}
	requests := map[int]messages.Request{}
	asked, told := false, false
	for _, r := range api.Requests() {
		text := r.Text()
		asked = asked || r.Scenario == "sub" && strings.Contains(text, `end your last message with what you found, as one JSON block`)
		told = told || r.Scenario == "x" && strings.Contains(text, "> - S1 security: No rate limit (general-purpose). Recommended: add one") && strings.Contains(text, "> - use one library")
		if r.Scenario == "x" {
			requests[r.Step] = r
		}
	}
	if !asked || !told {
		t.Errorf("the subagent is asked: %v, the session is told: %v", asked, told)
	}
	for i, m := range mishaps {
		before, after := requests[i].Text(), requests[i+1].Text()
		if !strings.Contains(after, m.told) || strings.Count(after, m.told) == strings.Count(before, m.told) {
			t.Errorf("%s: %s: the agent is not told %q", m.class, m.command, m.told)
		}
	}
	if got := p.sh("warp queue list --all --json | jq -c '[.[] | [.id, .priority, .status]]'"); got != `[["work-001","S0","pending"],["work-003","S0","done"],["work-002","S1","pending"]]` {
		t.Errorf("the work queue: %s", got)
	}
	if got := p.sh("warp inbox"); !strings.Contains(got, "3 unknown errors in a row") {
		t.Errorf("the inbox: %s", got)
	}
	if got := p.sh("warp telemetry metrics --json | jq -c '.sessions[0] | [.errors, .agents.completed, .quality.issues_found]'"); got != `[{"total":11,"recovered":1,"escalated":1},1,3]` { // two queued errors, one finding
		t.Errorf("the metrics: %s", got)
	}
}
