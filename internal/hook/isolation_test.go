//go:build unix

package hook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/hook"
	"warp/internal/turnstile"
)

func (p *project) journal() string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, ".claude/state/events.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// around is the surroundings of a hook of this project, to be changed.
func (p *project) around(stdin io.Reader) (hook.Env, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	return hook.Env{
		In: stdin, Out: &out, Err: &errs, Dir: func() string { return p.root },
		Getenv: func(string) string { return "" }, Parent: os.Getpid(), System: turnstile.System(),
	}, &out, &errs
}

func (p *project) text(event string, more payload) string {
	p.t.Helper()
	all := payload{"session_id": owner, "cwd": p.root, "hook_event_name": event}
	for k, v := range more {
		all[k] = v
	}
	text, err := json.Marshal(all)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

var commit = payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit -m x"}}

func TestARefusalIsJournalledWithItsRule(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.bash("git commit -m 'feat: unheard'")
	p.edit("PreToolUse", ".claude/settings.json")
	rows := p.journal()
	for _, want := range []string{`"rule":"commit"`, `unheard`, `"rule":"file"`, `.claude/settings.json`} {
		if !strings.Contains(rows, want) {
			t.Errorf("the journal lacks %s", want)
		}
	}
}

func TestASessionWithoutANameIsNotTheOwner(t *testing.T) {
	p := driven(t, drivestate.Coding)
	text := p.text("PreToolUse", commit)
	text = strings.Replace(text, owner, "", 1)
	around, out, _ := p.around(strings.NewReader(text))
	if code := hook.Run([]string{"PreToolUse"}, around); code != 0 || out.Len() != 0 {
		t.Errorf("exit %d: %s", code, out)
	}
	around, out, _ = p.around(strings.NewReader(text))
	around.Getenv = func(k string) string { return map[string]string{"CLAUDE_CODE_SESSION_ID": owner}[k] }
	if hook.Run([]string{"PreToolUse"}, around); !strings.Contains(out.String(), `"deny"`) {
		t.Errorf("the name that the environment has is not taken: %s", out)
	}
}

func TestAFinishedDriveGuardsNothing(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.fire(drivestate.Abort, "")
	p.fire(drivestate.AbortResolved, "")
	if a := p.bash("git push --force"); a.Out != "" {
		t.Errorf("a command: %s", a.Out)
	}
	if a := p.raw("nonsense", "PreToolUse"); a.Out != "" {
		t.Errorf("a payload that cannot be read: %s", a.Out)
	}
	head := p.git("rev-parse", "HEAD")
	if a := p.transaction("prepared", head, none, "refs/heads/feature/issue-42-x"); a.Exit != 0 {
		t.Errorf("git: %s", a.Err)
	}
}

func TestAPayloadThatBreaksOffIsRefused(t *testing.T) {
	p := driven(t, drivestate.Coding)
	whole := p.text("PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "ls"}})
	around, out, _ := p.around(io.MultiReader(strings.NewReader(whole), iotest.ErrReader(errors.New("the pipe broke"))))
	if hook.Run([]string{"PreToolUse"}, around); !strings.Contains(out.String(), "the pipe broke") {
		t.Errorf("let through: %s", out)
	}
}

// However the payload comes through the pipe, it is the same payload.
func TestAPayloadInPiecesIsReadWhole(t *testing.T) {
	p := driven(t, drivestate.Coding)
	text := p.text("PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"description": strings.Repeat("x", 40_000), "command": "git commit -m x"}})
	for name, in := range map[string]io.Reader{
		"bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
		"the end with the last piece": iotest.DataErrReader(strings.NewReader(text)), "at once": strings.NewReader(text),
	} {
		around, out, _ := p.around(in)
		if hook.Run([]string{"PreToolUse"}, around); !strings.Contains(out.String(), "only allowed during committing phase") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestADenialThatCannotBePrintedIsToldByTheExitCode(t *testing.T) {
	p := driven(t, drivestate.Coding)
	closed, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	w.Close()
	around, _, errs := p.around(strings.NewReader(p.text("PreToolUse", commit)))
	around.Out = w
	if code := hook.Run([]string{"PreToolUse"}, around); code != 2 || !strings.Contains(errs.String(), "only allowed during committing phase") {
		t.Errorf("exit %d: %s", code, errs)
	}
	around, _, errs = p.around(strings.NewReader(p.text("SessionStart", payload{"source": "startup"})))
	around.Out = w
	if code := hook.Run([]string{"SessionStart"}, around); code != 0 || errs.Len() != 0 {
		t.Errorf("an observer disturbs: exit %d: %s", code, errs)
	}
}

// A panic's exit code would mean a block to the agent; here it is the clock
// that breaks.
func TestAPanicOfAnObserverIsJournalled(t *testing.T) {
	p := driven(t, drivestate.Merging)
	around, out, _ := p.around(strings.NewReader(p.text("SubagentStop", payload{"agent_id": "a", "agent_type": "x"})))
	if p.hook("SubagentStart", payload{"agent_id": "a", "agent_type": "x"}); !p.has("agents/active.json") {
		t.Fatal("no agent")
	}
	broken := false
	around.System.Now = func() time.Time {
		if !broken { // once: the journal needs a clock too
			broken = true
			panic("the clock broke")
		}
		return time.Unix(0, 0)
	}
	if code := hook.Run([]string{"SubagentStop"}, around); code != 0 || out.Len() != 0 || !broken {
		t.Errorf("exit %d: %s", code, out)
	}
	if rows := p.journal(); !strings.Contains(rows, "it broke: the clock broke") || !strings.Contains(rows, `"concern":"agents"`) {
		t.Error("it is not journalled")
	}
}

func TestWhatWentWrongInAnObserverIsJournalled(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.hook("SubagentStart", payload{"agent_id": "../x", "agent_type": "x"})
	p.hook("SubagentStop", payload{"agent_id": "../x", "agent_type": "x"})
	if rows := p.journal(); !strings.Contains(rows, `"disturbed"`) || !strings.Contains(rows, `"event":"SubagentStop"`) {
		t.Error("it is not")
	}
}

func TestUsageAndUnknownAgentsAreTold(t *testing.T) {
	p := newProject(t)
	for _, args := range [][]string{{}, {"--help"}, {"-h"}, {"--agent", "codex"}} {
		around, _, errs := p.around(strings.NewReader(""))
		if code := hook.Run(args, around); code != 1 || !strings.Contains(errs.String(), "usage: warp-hook") {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
	around, _, errs := p.around(strings.NewReader(""))
	if code := hook.Run([]string{"--agent", "emacs", "Stop"}, around); code != 1 || !strings.Contains(errs.String(), `"emacs"; there are claude, codex, gemini`) {
		t.Errorf("exit %d, %s", code, errs)
	}
	around, out, errs := p.around(strings.NewReader(p.text("PreToolUse", commit)))
	around.Dir = func() string { return "" }
	if code := hook.Run([]string{"--agent", "codex", "PreToolUse"}, around); code != 0 || out.Len()+errs.Len() != 0 {
		t.Errorf("without a folder: exit %d, %s%s", code, out, errs)
	}
}

func TestAnswersAreSpelledForEachAgent(t *testing.T) {
	p := driven(t, drivestate.Coding)
	say := func(agent, event string, more payload) (string, answer) {
		a := p.raw(p.text(event, more), "--agent", agent, event)
		return a.Out, a
	}
	if out, a := say("claude", "PreToolUse", commit); a.Specific.Event != "PreToolUse" {
		t.Errorf("claude: %s", out)
	}
	p.commit("feat: sneaked in")
	ls := payload{"tool_name": "Bash", "tool_input": payload{"command": "ls"}}
	if out, a := say("codex", "PostToolUse", ls); a.Decision != "block" || strings.Contains(out, "systemMessage") {
		t.Errorf("codex: %s", out)
	}
	ls["tool_name"] = "run_shell_command"
	if out, a := say("gemini", "AfterTool", ls); a.Decision != "deny" || !strings.Contains(a.Reason, "unseen") || a.Message == "" {
		t.Errorf("gemini: %s", out)
	}
}

func TestTheAgentsOwnProcessOwnsTheDrive(t *testing.T) {
	p := newProject(t)
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 2, Issue: "42", PID: gone(t), ClaudeSession: "old"}); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]int{"1": 1, "nonsense": os.Getpid(), "-3": os.Getpid(), "0": os.Getpid(), "": os.Getpid()} {
		around, _, _ := p.around(strings.NewReader(p.text("SessionStart", payload{"source": "startup"})))
		around.Getenv = func(k string) string { return map[string]string{"CLAUDE_PID": given}[k] }
		if hook.Run([]string{"SessionStart"}, around); p.state().Session.PID != want {
			t.Errorf("%q: of process %d", given, p.state().Session.PID)
		}
	}
}

func TestBrokenSettingsAreToldWhereTheyMatter(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"_workflow":`)
	a := p.hook("SessionStart", payload{"source": "resume"})
	if c := a.Specific.Context; !strings.HasPrefix(c, "Fix the settings") || !strings.Contains(c, "phase: coding") || len(c) > drivestate.MaxContext {
		t.Errorf("a session that begins: %s", a.Out)
	}
	if a := p.bash("git commit -m x"); !a.denied() {
		t.Error("the guards are off")
	}
	if a := p.bash("warp state transition . code_complete"); a.Out != "" {
		t.Errorf("the transition itself tells of them: %s", a.Out)
	}
	for range 12 {
		if a := p.edit("PostToolUse", "a.go"); a.Out != "" || a.Exit != 0 {
			t.Fatalf("an edit is disturbed: %+v", a)
		}
	}
	if n := p.state().EditCounts["a.go"]; n != 12 {
		t.Errorf("%d edits of 12", n)
	}
}

func TestALongSettingsErrorLeavesRoomForTheDrive(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/settings.local.json", `{"_workflow":{"`+strings.Repeat("ü", 900)+`":1,"max_coding_cycles":"`+strings.Repeat("ß", 900)+`"}}`)
	a := p.hook("SessionStart", payload{"source": "resume"})
	if c := a.Specific.Context; len(c) > drivestate.MaxContext || !strings.Contains(c, "phase: coding") || strings.Contains(c, "\uFFFD") {
		t.Errorf("%d bytes: %s", len(c), c)
	}
}

func TestAPausedDriveIsNotLedOn(t *testing.T) {
	p := driven(t, drivestate.Committing)
	if _, err := p.drive.Pause(); err != nil {
		t.Fatal(err)
	}
	p.commit("feat: a")
	if a := p.ran("git commit"); p.phase() != drivestate.Committing || a.Decision != "" {
		t.Errorf("in %s: %s", p.phase(), a.Out)
	}
	if _, err := p.drive.Continue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.ran("ls"); p.phase() != drivestate.Reporting {
		t.Errorf("continued, and in %s", p.phase())
	}
}

func TestManyEditsAreSettled(t *testing.T) {
	p := driven(t, drivestate.Coding)
	for range 140 {
		p.edit("PostToolUse", "a.go")
		if v, err := p.drive.Peek(); err != nil || v.Pending > 64 {
			t.Fatalf("%d rows are pending, %v", v.Pending, err)
		}
	}
	if n := strings.Count(p.journal(), `"settled"`); n != 2 {
		t.Errorf("settled %d times", n)
	}
	if n := p.state().EditCounts["a.go"]; n != 140 {
		t.Errorf("%d edits of 140", n)
	}
}

func TestABudgetThatTripsOnTheWayIsTold(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.write(".claude/settings.local.json", `{"_workflow":{"phase_timeout_enforcement":"block"}}`)
	p.commit("feat: a")
	around, out, _ := p.around(strings.NewReader(p.text("PostToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": "git commit"}})))
	around.System.Now = func() time.Time { return time.Now().Add(100 * time.Hour) }
	if hook.Run([]string{"PostToolUse"}, around); !strings.Contains(out.String(), "a budget tripped") || p.phase() != drivestate.BudgetExceeded {
		t.Errorf("in %s: %s", p.phase(), out)
	}
}
