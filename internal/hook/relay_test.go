//go:build unix

package hook_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/hook"
	"warp/internal/turnstile"
)

// relayed is what a run in another project's sandbox gets for an answer, when it says
// that it is this project's.
func (p *project) relayed(from hook.Origin, input string, args ...string) hook.RelayedAnswer {
	p.t.Helper()
	q := hook.Relayed{Args: args, Dir: p.root, Input: hex.EncodeToString([]byte(input)), Env: map[string]string{
		"CLAUDE_PROJECT_DIR": p.root, "GEMINI_PROJECT_DIR": p.root, "GIT_DIR": filepath.Join(p.root, ".git")}}
	return q.Answer(hook.Env{Getenv: func(string) string { return "" }, Parent: os.Getpid(), Origin: from, System: turnstile.System()})
}

// A run chooses neither its project nor its role: it would adopt another's drive.
func TestARelayedHookIsTheRunsOwn(t *testing.T) {
	p, other := driven(t, drivestate.Committing), newProject(t)
	p.write("x.txt", "x")
	p.commit("feat(x): x")
	before := p.journal()
	for _, from := range []hook.Origin{{Dir: other.root, Role: "code"}, {Dir: other.root}, {}} {
		for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"} {
			for _, session := range []string{"evil", owner} {
				input := p.text(event, payload{"session_id": session, "source": "clear", "tool_name": "Bash", "tool_input": payload{"command": "git commit -m x; warp state init ."}, "prompt": "warp stop --hard"})
				for _, agent := range []string{"claude", "gemini", "codex"} {
					p.relayed(from, input, "--agent", agent, event)
				}
			}
		}
		head := p.git("rev-parse", "HEAD")
		p.relayed(from, head+" "+head+" refs/heads/feature/issue-42-x\n", "git", "reference-transaction", "committed")
	}
	if after := p.journal(); after != before || p.state().Session.ClaudeSession != owner {
		t.Errorf("another project's run wrote its journal:\n%s", strings.TrimPrefix(after, before))
	}
}

// In its own project a run owns nothing, and moves nothing.
func TestARelayedHookOwnsNothing(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.write("x.txt", "x")
	p.commit("feat(x): x")
	for _, role := range []string{"", "code"} {
		for _, session := range []string{"evil", owner} {
			for _, event := range []string{"SessionStart", "PostToolUse"} {
				input := p.text(event, payload{"session_id": session, "source": "clear", "tool_name": "Bash", "tool_input": payload{"command": "warp state init ."}})
				p.relayed(hook.Origin{Dir: p.root, Role: role}, input, event)
			}
		}
	}
	if s := p.state(); s.Session.ClaudeSession != owner || s.Phase != drivestate.Committing {
		t.Errorf("%s, %s", s.Session.ClaudeSession, s.Phase)
	}
}

// A transcript that is not in the run's home folder is not read, whatever leads there.
func TestARelayedTranscriptIsTheRunsOwn(t *testing.T) {
	p, home := driven(t, drivestate.Coding), t.TempDir()
	words := func(s string) []byte {
		return []byte(`{"type":"user","message":{"role":"user","content":"` + s + `"}}` + "\n")
	}
	elsewhere := filepath.Join(t.TempDir(), "secret.jsonl")
	for file, text := range map[string][]byte{elsewhere: words("a private talk"), filepath.Join(home, "own.jsonl"): words("the task itself")} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(home, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	for i, file := range []string{elsewhere, filepath.Join(home, "link.jsonl"), filepath.Join(home, "own.jsonl")} {
		input := p.text("SubagentStart", payload{"agent_id": "a" + string(rune('0'+i)), "agent_type": "x", "transcript_path": file})
		p.relayed(hook.Origin{Dir: p.root, Home: home, Role: "code"}, input, "SubagentStart")
	}
	var all bytes.Buffer
	err := filepath.WalkDir(filepath.Join(p.root, ".claude"), func(file string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			text, _ := os.ReadFile(file)
			all.Write(text)
		}
		return err
	})
	if err != nil || strings.Contains(all.String(), "private talk") || !strings.Contains(all.String(), "the task itself") {
		t.Errorf("%v, %s", err, all.String())
	}
}

// However a relayed hook is called, it is counted as one of a known few.
func TestARelayedHookIsCountedAsAKnownEvent(t *testing.T) {
	for args, want := range map[string]string{
		"PreToolUse": "PreToolUse", "--agent gemini BeforeTool": "PreToolUse", "--agent codex Stop": "Stop", "git pre-push origin url": "git",
		"": "other", "Invented": "other", "--agent nobody PreToolUse": "other", "--agent gemini": "other",
	} {
		if got := (hook.Relayed{Args: strings.Fields(args)}).Event(); got != want {
			t.Errorf("%q counts as %s, want %s", args, got, want)
		}
	}
}
