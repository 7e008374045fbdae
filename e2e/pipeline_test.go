//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/testkit/messages"
	"warp/internal/testkit/need"
)

const twoStages = `name: two
commands: {test: node tests.js}
stages:
  - id: plan
    runs: 1
    prompt: "PLAN for ${TASK}. Write it to ${OUTPUT}."
  - id: build
    until: plateau
    runs: 5
    commit: true
    verify: [test]
    inputs: {from: plan}
    prompt: "BUILD iteration ${ITERATION}. Read ${INPUTS}, then ${PROGRESS}."
`

// stage names the scenario of a prompt of that pipeline.
func stage(text string) string {
	switch {
	case strings.HasPrefix(text, "PLAN"):
		return "plan"
	case strings.HasPrefix(text, "BUILD"):
		return "build-" + strings.Fields(strings.TrimPrefix(text, "BUILD iteration "))[0][:1]
	}
	return ""
}

// desk is where an agent is told to write its output: Claude Code lets nobody
// write below .claude.
var desk = regexp.MustCompile(`/\S+/output\.md`)

// iteration is the structured result of one.
func iteration(summary string, plateau bool, learnings ...any) []messages.Step {
	return answer(map[string]any{"summary": summary, "plateau": plateau, "reasoning": "r", "items_completed": []any{}, "learnings": append([]any{}, learnings...)})
}

// The model is scripted, everything else is real: each iteration is a Claude Code
// of its own, the second stage reads what the first left, and what it says of a
// plateau is held against what it changed.
func TestClaudeCodeRunsAPipelineOfTwoStages(t *testing.T) {
	t.Parallel()
	h := drives(t, issueBody, "")
	plan := h.root + "/.claude/pipeline-runs/night/stage-0-plan/output.md"
	place := h.root + "/.claude/worktrees/session-night" // where its agents work
	progress := h.root + "/.claude/pipeline-runs/night/stage-1-build/progress.md"
	api := messages.ServePicked(t, stage, messages.Script{
		"plan": after(iteration("planned", false), messages.Step{Func: func(q messages.Request) messages.Step {
			return write(desk.FindString(q.Text()), "1. upper\n")
		}}),
		"build-1": after(iteration("upper is there", true, "node is enough"), look(strings.Replace(plan, h.root, place, 1)), write(place+"/text.js", "exports.upper = s => s.toUpperCase()\n")),
		"build-2": after(iteration("nothing is left", true), look(strings.Replace(progress, h.root, place, 1))),
		"build-3": iteration("nothing is left", true),
	})
	h.claude(api.URL)
	h.write("../two.yaml", twoStages)
	if code, out := h.start("pipeline", "run", "../two.yaml", "night", "Text tools").wait(); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	var s sessionstate.State
	if err := json.Unmarshal([]byte(h.sh("cat .claude/pipeline-runs/night/state.json | jq 'del(.history, .journal)'")), &s); err != nil {
		t.Fatal(err)
	}
	if s.Status != sessionstate.Complete || *s.CompletionReason != sessionstate.ReasonPlateau || *s.Stages[0].IterationsRun != 1 || *s.Stages[1].IterationsRun != 3 {
		t.Errorf("%+v", s)
	}
	if spent := s.Spent(); spent.MicroUSD == 0 || spent.Tokens == 0 {
		t.Errorf("what it cost is not known: %+v", spent)
	}
	if text := h.sh("cat " + plan); text != "1. upper" {
		t.Errorf("the plan is not what the agent wrote: %s", text)
	}
	if log := h.sh("git log --format=%s main; git status --porcelain -- . ':!.claude'"); log != "chore: upper is there\nchore: begin" {
		t.Errorf("committed:\n%s", log)
	}
	text := h.sh("cat " + progress)
	for _, want := range []string{"Verify: ", "- upper is there", "- Files: text.js", "- Learning: node is enough", "- nothing is left"} {
		if !strings.Contains(text, want) {
			t.Errorf("the progress file lacks %q:\n%s", want, text)
		}
	}
	if read := api.Await("build-2", 1).Text(); !strings.Contains(read, "Learning: node is enough") {
		t.Error("the second iteration never read what the first has learned")
	}
	var sessions []string
	for _, c := range h.calls() {
		if !slices.Contains(c, "-p") { // its version, its login
			continue
		}
		sessions = append(sessions, flag(c, "--session-id")+flag(c, "--resume"))
	}
	if len(sessions) != 4 || sessions[0] != "" && len(slices.Compact(slices.Sorted(slices.Values(sessions)))) != 4 {
		t.Errorf("each iteration begins with a fresh context: %v", sessions)
	}
}

// A loop over the issues of the real Beads runs until none is ready.
func TestALoopDrivesRealBeadsUntilTheyAreEmpty(t *testing.T) {
	t.Parallel()
	dir := need.Beads(t)
	h := drives(t, issueBody, "")
	h.write("../agent.sh", `prompt=$(cat); echo "$WARP_CRITERIA" >> done.txt
echo "{\"summary\":\"did $WARP_CRITERIA\",\"items_completed\":[\"$WARP_CRITERIA\"]}" > "$WARP_RESULT"`)
	h.env = []string{"PATH=" + dir + ":" + bin + ":" + os.Getenv("PATH"), "HOME=" + h.home, "GIT_CONFIG_NOSYSTEM=1", "BEADS_NO_DAEMON=1", h.mark}
	h.sh("export PATH=" + dir + `:$PATH BEADS_NO_DAEMON=1
		warp config set agent command && warp config set agent_command '["sh","'$PWD'/../agent.sh"]'
		bd init --prefix demo --quiet
		one=$(bd create 'First things' -t task -p 1 -d 'the first' --json | jq -r .id)
		two=$(bd create 'Then others' -t task -p 0 -d 'after the first' --json | jq -r .id)
		bd create 'And more' -t task -p 2 -d 'whenever' --json
		bd dep add "$two" "$one"`)
	code, out := h.start("loop", "night", "--loop", "work", "--until", "queue beads").wait()
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	var s sessionstate.State
	if err := json.Unmarshal([]byte(h.sh("jq 'del(.history, .journal)' .claude/pipeline-runs/night/state.json")), &s); err != nil {
		t.Fatal(err)
	}
	if s.Status != sessionstate.Complete || *s.CompletionReason != sessionstate.ReasonBeadsEmpty || s.IterationCompleted != 3 {
		t.Errorf("%+v\n%s", s, out)
	}
	left := h.sh("export PATH=" + dir + ":$PATH BEADS_NO_DAEMON=1; bd ready --json; bd list --status open --json; bd list --status closed --json | jq length; git show main:done.txt | wc -l")
	if got := strings.Fields(left); !slices.Equal(got, []string{"[]", "[]", "3", "3"}) {
		t.Errorf("left behind: %s", left)
	}
	if code, out := h.start("loop", "again", "--loop", "work", "--until", "queue beads").wait(); code != 0 || !strings.Contains(out, "nothing is ready") {
		t.Errorf("an empty queue: exit %d\n%s", code, out)
	}
}
