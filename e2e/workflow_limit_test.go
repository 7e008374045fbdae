//go:build unix

package e2e

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/testkit/messages"
)

// oneWord is a workflow of one task, without a supervisor.
const oneWord = "# A word\n\n## Goal\nThere is a word.\n\n## Safety bounds\n- max_time: 1h\n\n## Supervisor\n- enabled: no\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: Write it\nFiles: word.txt\n- [ ] It is there: `test -s word.txt`\n"

// limited is the model of oneWord, which meets a usage limit of a subscription while
// resets names its end.
func limited(root string, resets func() (time.Time, bool)) messages.Script {
	limit := messages.Step{Func: func(r messages.Request) messages.Step {
		at, now := resets()
		if !now {
			return writeHome(root, "word.txt", "word\n").Func(r)
		}
		reset := fmt.Sprint(at.Unix())
		return messages.Step{Fail: &messages.Fail{Status: 429, Type: "rate_limit_error", Message: "too much", Header: map[string]string{
			"anthropic-ratelimit-unified-status": "rejected", "anthropic-ratelimit-unified-reset": reset,
			"anthropic-ratelimit-unified-5h-status": "rejected", "anthropic-ratelimit-unified-5h-reset": reset,
			"anthropic-ratelimit-unified-representative-claim": "five_hour"}}}
	}}
	lesson := map[string]any{"type": "insight", "lesson": "A word is enough", "pattern": "Write one word", "context": "words"}
	return messages.Script{
		"code 1.1": after(answer(map[string]any{"summary": "Written.", "learnings": []any{lesson}}), limit),
	}
}

// wantWord looks at a workflow that is completed: one iteration, and nothing learned from
// the limit.
func (h *headless) wantWord() {
	h.t.Helper()
	s := read[account](h.t, []byte(h.sh("cat .claude/agent-state.json")))
	if s.Orchestrator.Status != "completed" || len(s.CompletedTasks) != 1 || s.CompletedTasks[0].Iterations != 1 || len(s.ActiveAgents) != 0 {
		h.t.Errorf("%+v", s)
	}
	if len(s.Learnings) != 1 || s.Learnings[0].Type != "insight" || s.Learnings[0].Lesson != "A word is enough" || s.Learnings[0].Pattern != "Write one word" || s.Learnings[0].Context != "words" {
		h.t.Errorf("learned: %+v", s.Learnings)
	}
	if log := h.sh("git log --format=%s main; cat .claude/learnings.jsonl | wc -l"); log != "feat: Write it (task 1.1)\nchore: warp\nchore: begin\n1" {
		h.t.Errorf("merged:\n%s", log)
	}
}

// workflow runs warp workflow to the end that is wanted.
func (h *headless) workflow(want int, args ...string) string {
	h.t.Helper()
	code, out := h.start(append([]string{"workflow"}, args...)...).wait()
	if code != want {
		h.t.Fatalf("warp workflow %s: exit %d, not %d\n%s", strings.Join(args, " "), code, want, out)
	}
	if left := proc.EndMarked(h.mark); len(left) > 0 {
		h.t.Errorf("processes were left: %v", left)
	}
	return out
}

// A usage limit that outlasts the workflow's time is a pause: status says so, and resuming
// completes the workflow when the limit is over. One that ends within its time is waited for,
// and the same session goes on.
func TestALimitOfAWorkflow(t *testing.T) {
	t.Parallel()
	h := drives(t, issueBody, withInit)
	h.write("../word.md", oneWord)
	var over, met atomic.Bool
	api := messages.ServePicked(t, workflowRole, limited(h.root, func() (time.Time, bool) {
		if over.Load() {
			return time.Now().Add(4 * time.Second), met.CompareAndSwap(false, true)
		}
		return time.Now().Add(72 * time.Hour), true
	}))
	h.claude(api.URL, "ANTHROPIC_API_KEY=", "CLAUDE_CODE_OAUTH_TOKEN=none", "CLAUDE_CODE_MAX_RETRIES=0")
	out := h.workflow(13, "run", "../word.md", "--level", "3")
	status := h.sh("warp workflow status")
	for _, text := range []string{out, status} {
		if !strings.Contains(text, "the agent could not work (limit ") || !strings.Contains(text, "then warp workflow resume") {
			t.Errorf("it is not said what it waits for:\n%s", text)
		}
	}
	if !strings.Contains(status, "paused since ") {
		t.Error(status)
	}
	if os.Getenv("WARP_MATRIX") != "" { // it is still limited
		h.workflow(13, "resume")
	}
	if learned := h.sh("cat .claude/learnings.jsonl 2>/dev/null || true"); learned != "" {
		t.Errorf("learned from a limit: %s", learned)
	}
	over.Store(true)
	before := len(h.codeCalls())
	if out := h.workflow(0, "resume"); !strings.Contains(out, "5-hour limit") {
		t.Errorf("it is not said what is waited for:\n%s", out)
	}
	if calls := h.codeCalls()[before:]; len(calls) != 2 || flag(calls[1], "--resume") == "" {
		t.Errorf("called as %q", calls)
	}
	h.wantWord()
}

// codeCalls are the calls of the agent that were to write code.
func (h *headless) codeCalls() (code [][]string) {
	h.t.Helper()
	for _, c := range h.calls() {
		if c[0] == "code" {
			code = append(code, c)
		}
	}
	return code
}
