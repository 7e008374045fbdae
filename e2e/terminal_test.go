//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/messages"
	"warp/internal/testkit/need"
)

// terminal is a real one, with the real Claude Code in it.
type terminal struct {
	t      *testing.T
	socket string
}

// open starts Claude Code as a person does who has used it before.
func (p *project) open(api *messages.Server) *terminal {
	p.t.Helper()
	need.Tool(p.t, "tmux")
	known := fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["none"]},"projects":{%q:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`, p.root)
	p.write("../"+filepath.Base(p.home)+"/.claude/.claude.json", known)
	term := &terminal{p.t, filepath.Join(p.home, "tmux")}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "50", "-c", p.root, fmt.Sprintf(
		"env -i TERM=xterm-256color PATH=%s:\"$PATH\" HOME=%s CLAUDE_CONFIG_DIR=%s/.claude ANTHROPIC_BASE_URL=%s ANTHROPIC_API_KEY=none DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 GIT_CONFIG_NOSYSTEM=1 %s --permission-mode acceptEdits --allowedTools Bash",
		bin, p.home, p.home, api.URL, claude.Find(p.t)))
	p.t.Cleanup(func() {
		pid := strings.TrimSpace(term.tmux("display-message", "-p", "#{pane_pid}"))
		term.tmux("kill-server")
		p.sh("while kill -0 " + pid + " 2>/dev/null; do sleep 0.05; done") // it writes until it has ended
	})
	return term
}

func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// see waits until a text is on the screen.
func (x *terminal) see(text string) {
	x.t.Helper()
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		screen := x.tmux("capture-pane", "-p")
		if strings.Contains(screen, text) {
			return
		}
		if time.Now().After(until) {
			x.t.Fatalf("%q is not on the screen:\n%s", text, screen)
		}
	}
}

// press presses a key until a text is gone: a form that was just drawn may not listen yet.
func (x *terminal) press(key, text string) {
	x.t.Helper()
	for until := time.Now().Add(2 * time.Minute); strings.Contains(x.tmux("capture-pane", "-p"), text); time.Sleep(500 * time.Millisecond) {
		x.tmux("send-keys", key)
		if time.Now().After(until) {
			x.t.Fatalf("%q stays on the screen", text)
		}
	}
}

// say types a line.
func (x *terminal) say(line string) {
	x.t.Helper()
	x.tmux("send-keys", "-l", line)
	x.see(line)
	x.tmux("send-keys", "Enter")
}

// A person in front of the session is asked there and then, and what the person
// chooses is the answer.
func TestAPersonInFrontOfTheSessionDecides(t *testing.T) {
	t.Parallel()
	p := guidedProject(t, 3)
	p.write("../forge.awk", `BEGIN { print "{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"" ENVIRON["CLAUDE_CODE_SESSION_ID"] "\",\"cwd\":\"" ENVIRON["PWD"] "\",\"prompt\":\"warp answer q1 2\"}" | "warp-hook UserPromptSubmit" }`)
	option := func(n int, what string) map[string]any {
		return map[string]any{"label": fmt.Sprintf("warp answer q1 %d", n), "description": what}
	}
	ask := messages.Step{Tools: []messages.Tool{{Name: "AskUserQuestion", Input: map[string]any{"questions": []any{map[string]any{
		"question": "Which way?", "header": "Way", "multiSelect": false, "options": []any{option(1, "left"), option(2, "right")}}}}}}}
	api := messages.Serve(t, messages.Script{"": {
		bash("warp next 42"), bash(`warp next --result '{"decision":{"question":"Which way?","options":["left","right"]}}'`),
		bash("warp answer q1 2"),                              // the model's own choice
		bash("awk -f ../forge.awk"), bash("warp answer q1 2"), // and as if the person had typed it
		ask, bash("warp answer q1 1"), bash("warp next"), coded("01"), coded("02"), bash(doneJSON), {Text: "All is done."}}})
	term := p.open(api)
	term.see("❯")
	term.say("/warp-drive 42")
	term.see("Enter to select")
	term.tmux("send-keys", "Enter")
	term.see("All is done.")
	p.awaitEngine()
	got := last(api)
	if len(got) != 11 || !got[2].Error || !got[4].Error || !strings.Contains(got[1].Text, "A PERSON has to decide (q1)") || !strings.Contains(got[7].Text, "→ left") || !strings.Contains(got[10].Text, "end        merged") {
		for _, r := range got {
			t.Errorf("%v %s", r.Error, r.Text)
		}
	}
}

// A requirement is driven by the MCP tools; through them the person sees a form, which the
// model neither fills nor reads before.
func TestAPersonFillsTheFormOfTheMCPServer(t *testing.T) {
	t.Parallel()
	p := guidedProject(t, 3)
	p.sh("warp init --mcp")
	p.write(".claude/settings.local.json", strings.Replace(p.sh("cat .claude/settings.local.json"), "{", `{"enabledMcpjsonServers":["warp"],`, 1))
	api := messages.Serve(t, messages.Script{"": {
		mcpTool("issue_list", map[string]any{}), mcpTool("issue_show", map[string]any{"issue": 42}), mcpTool("next", map[string]any{"issue": 42}), mcpTool("status", map[string]any{}),
		mcpTool("next", map[string]any{"result": map[string]any{"decision": map[string]any{"question": "Which way?", "options": []string{"left", "right"}}}}),
		coded("01"), coded("02"), mcpTool("next", map[string]any{"result": map[string]any{"summary": "both"}}),
		mcpTool("evidence", map[string]any{"issue": 42}), mcpTool("inbox", map[string]any{}), {Text: "All is done."}}})
	term := p.open(api)
	term.see("❯")
	term.say("Work on issue 42")
	term.see("Which way?")
	term.tmux("send-keys", "Right")
	term.see("◯ right")
	term.tmux("send-keys", "Enter")
	term.see("✔ Answer: left")
	term.press("Enter", "requests your input")
	term.see("All is done.")
	p.awaitEngine()
	got := last(api)
	if len(got) != 10 {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"Mail", "AC-02: keep attachments", "WANTED from you, for #42", "Phase: coding", "→ left", "", "", "end        merged", "2 of 2 criteria are met", ""} {
		if got[i].Error || !strings.Contains(got[i].Text, want) {
			t.Errorf("call %d does not say %q: %v %s", i+1, want, got[i].Error, got[i].Text)
		}
	}
	if s := p.state(); s.Phase != "completed" || s.Metrics.Commits != 1 {
		t.Errorf("in %s with %d commits", s.Phase, s.Metrics.Commits)
	}
}
