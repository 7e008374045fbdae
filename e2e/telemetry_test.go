//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/gemini"
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
	{"unknown", "no-such-program-3", "3 unknown errors in a row: a person is asked about them (q1 in the inbox)"},
}

func TestAnAgentIsToldWhatToDoAboutItsErrors(t *testing.T) {
	p := newProject(t, 2)
	p.write("broken.js", "function f( {\n")
	p.write("validate.js", "class ValidationError extends Error { constructor(m) { super(m); this.name = 'ValidationError' } }\nthrow new ValidationError(\"data must have required property 'id'\")\n")
	p.write("not-executable", "#!/bin/sh\n")
	var steps []messages.Step
	for _, m := range mishaps {
		steps = append(steps, bash(m.command))
	}
	read := make(chan struct{}) // the end of the session takes away what is read
	steps = append(steps, bash("echo closed"), messages.Step{Text: "Done.", Pause: read})
	api := messages.Serve(t, messages.Script{"x": steps})
	run := start(t, p.options(api, "[[scenario:x]]"))
	api.Await("x", len(mishaps)+1)
	errors := p.sh(`jq -c '[[.errors[] | .classification], .summary]' .claude/state/errors/classified.json`)
	if want := `[["network","rate_limit","timeout","syntax","permission","resource","validation","syntax","unknown","unknown","unknown"],{"total":11,"recovered":1,"pending":7,"escalated":1,"queued":2,"logged":0}]`; errors != want {
		t.Errorf("classified as %s, want %s", errors, want)
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
	for _, r := range api.Requests() {
		if r.Scenario == "x" {
			requests[r.Step] = r
		}
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
	if got := p.sh("warp telemetry metrics --json | jq -c '.sessions[0].errors'"); got != `{"total":11,"recovered":1,"escalated":1}` {
		t.Errorf("the metrics: %s", got)
	}
}

// No drive is under way: the session that asked gets what its subagent found.
func TestASubagentIsAskedForFindingsAndTheSessionGetsThem(t *testing.T) {
	p := newProject(t, 2)
	agent := messages.Step{Tools: []messages.Tool{{Name: "Agent", Input: map[string]any{
		"description": "Audit auth", "prompt": "[[scenario:sub]] look", "subagent_type": "general-purpose", "run_in_background": false}}}}
	read := func(path string) messages.Step {
		return messages.Step{Tools: []messages.Tool{{Name: "Read", Input: map[string]any{"file_path": path}}}}
	}
	findings := "I looked.\n```json\n" + `{"findings":[{"severity":"S1","category":"security","title":"No rate limit","details":"in login","recommendation":"add one"}],"recommendations":["use one library"],"files_analyzed":["./go.mod"]}` + "\n```"
	looked := make(chan struct{})
	api := messages.Serve(t, messages.Script{
		"x":   {agent, {Tools: bash("echo after").Tools, Pause: looked}, {Text: "Done."}},
		"sub": {read(p.root + "/go.mod"), {Tools: []messages.Tool{{Name: "Grep", Input: map[string]any{"pattern": "module", "path": p.root}}}}, {Text: findings}},
	})
	run := start(t, p.options(api, "[[scenario:x]] implement user authentication"))
	api.Await("x", 1)
	want := `["general-purpose","Audit auth","success",[{"severity":"S1","category":"security","title":"No rate limit","details":"in login","recommendation":"add one"}],["use one library"],["go.mod"],{"files_read":1,"issues_found":1}]`
	if got := p.sh(`jq -c '[.type, .task, .status, .findings, .recommendations, .files_analyzed, .metrics]' .claude/state/agents/results/*.json`); got != want {
		t.Errorf("the result is %s, want %s", got, want)
	}
	close(looked)
	if r := run.Wait(); r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	asked, told := false, false
	for _, r := range api.Requests() {
		text := r.Text()
		asked = asked || r.Scenario == "sub" && strings.Contains(text, `end your last message with what you found, as one JSON block`)
		told = told || r.Scenario == "x" && strings.Contains(text, "> - S1 security: No rate limit (general-purpose). Recommended: add one") && strings.Contains(text, "> - use one library")
	}
	if !asked || !told {
		t.Errorf("the subagent is asked: %v, the session is told: %v", asked, told)
	}
	if got := p.sh("warp telemetry metrics --json | jq -c '.sessions[0] | [.agents.completed, .quality.issues_found]'"); got != "[1,1]" {
		t.Errorf("the metrics: %s", got)
	}
}

func TestGeminiIsToldWhatToDoAboutItsErrors(t *testing.T) {
	p := newProject(t, 2)
	p.sh("warp init --agent gemini")
	api := gemini.Serve(t, []gemini.Step{gemini.Shell("echo x > /dev/full"), gemini.Shell("no-such-program"), gemini.Shell("grep -q nothing go.mod"), gemini.Say("Done.")})
	r := gemini.Run(t, gemini.Options{Dir: p.root, Home: p.home, URL: api.URL, Prompt: "go", PathDirs: []string{bin}})
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	var told []int
	for _, q := range api.Requests() {
		told = append(told, strings.Count(string(q.Body), "[warp-drive] this call failed. "))
	}
	if !slices.Equal(told, []int{0, 1, 2, 2}) {
		t.Errorf("told %v", told)
	}
}

// A session that is killed ends nothing: the next one that starts closes and counts it.
func TestASessionThatIsKilledIsCountedByTheNext(t *testing.T) {
	p := newProject(t, 2)
	held := make(chan struct{})
	api := messages.Serve(t, messages.Script{"x": {bash("no-such-program"), {Text: "never", Pause: held}}, "y": {{Text: "Done."}}})
	run := start(t, p.options(api, "[[scenario:x]]"))
	api.Await("x", 1)
	died := p.sh("jq -r 'select(.pid > 0) | .session_id' .claude/state/session/current.json")
	run.Kill()
	run.Wait()
	if got := p.sh("warp doctor telemetry || true"); !strings.Contains(got, "the session "+died+" died") {
		t.Errorf("doctor does not see it:\n%s", got)
	}
	p.run(api, "[[scenario:y]]")
	if got := p.sh(`warp telemetry metrics --json | jq -c '[.sessions[] | [.session_id == "` + died + `", .end_reason, .errors.total]]'`); got != `[[true,"died",1],[false,null,0]]` {
		t.Errorf("the metrics: %s", got)
	}
}
