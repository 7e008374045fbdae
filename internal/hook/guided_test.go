//go:build unix

package hook_test

import (
	"os"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// guidedProject is a project whose drive an engine is at, with owner's session as its mind.
func guidedProject(t *testing.T, to drivestate.Phase) *project {
	t.Helper()
	p := driven(t, to)
	p.env = map[string]string{"CLAUDE_PID": "4711", "HOME": t.TempDir()}
	if _, err := p.drive.Claim(os.Getpid(), turnstile.Mind{Session: owner, PID: 4711}); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheMindOfADriveIsToldToRunWarpNext(t *testing.T) {
	p := guidedProject(t, drivestate.Coding)
	for _, more := range []payload{{"source": "resume"}, {"source": "compact"}, {"source": "clear", "session_id": "after-clear"}} {
		told := p.hook("SessionStart", more).Specific.Context
		if !strings.Contains(told, "run warp next") || !strings.Contains(told, "- [ ] AC-01: parse mail") || strings.Contains(told, "state transition") {
			t.Errorf("%v: %s", more, told)
		}
	}
	if a := p.hook("SessionStart", payload{"source": "startup", "session_id": "another"}); a.Out != "" {
		t.Errorf("another session is told: %s", a.Out)
	}
	if s := p.state(); s.Session.ClaudeSession != owner || !s.IsGuided() {
		t.Errorf("it belongs to %+v", s.Session)
	}
}

func TestTheMindOfADriveCommitsNothing(t *testing.T) {
	for _, phase := range []drivestate.Phase{drivestate.Coding, drivestate.Committing, drivestate.Merging} {
		p := guidedProject(t, phase)
		for _, line := range []string{"git commit -m x", "git push origin HEAD", "git merge main"} {
			a := p.hook("PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": line}})
			if !strings.Contains(a.Specific.Reason, "warp commits, pushes and merges by itself") {
				t.Errorf("%s in %s: %s", line, phase, a.Out)
			}
			if a := p.hook("PreToolUse", payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": line}}); a.Out != "" {
				t.Errorf("another session: %s in %s: %s", line, phase, a.Out)
			}
		}
	}
}

func TestTheMindOfADriveIsSentBackOnce(t *testing.T) {
	p := guidedProject(t, drivestate.Coding)
	if a := p.hook("Stop", payload{}); a.Decision != "block" || !strings.Contains(a.Reason, "run warp next") {
		t.Errorf("alone: %s", a.Out)
	}
	if a := p.hook("Stop", payload{"stop_hook_active": true}); a.Decision != "" {
		t.Errorf("twice: %s", a.Out)
	}
	p.env["CLAUDE_CODE_ENTRYPOINT"] = "cli"
	if a := p.hook("Stop", payload{}); a.Decision != "" || !strings.Contains(a.Out, "warp next") {
		t.Errorf("with a person in front of it: %s", a.Out)
	}
}

// What a person types or chooses is allowed once without a further question, and only
// exactly that.
func TestWhatAPersonTypesIsAllowed(t *testing.T) {
	p := guidedProject(t, drivestate.Coding)
	run := func(line string) answer {
		return p.hook("PreToolUse", payload{"tool_name": "Bash", "tool_input": payload{"command": line}})
	}
	for _, c := range []struct {
		event string
		more  payload
		line  string
	}{
		{"UserPromptSubmit", payload{"prompt": "warp answer q1 2"}, "warp answer q1 2"},
		{"UserPromptExpansion", payload{"command_name": "stop-warp-drive", "command_args": "reset", "expansion_type": "slash_command"}, "warp stop --hard"},
		{"PostToolUse", payload{"tool_name": "AskUserQuestion", "tool_response": payload{"answers": payload{"Which?": "warp answer q2 1"}}}, "warp answer q2 1"},
	} {
		if a := run(c.line); strings.Contains(a.Out, "allow\"") {
			t.Errorf("%s before it was typed: %s", c.line, a.Out)
		}
		p.hook(c.event, c.more)
		if a := run(c.line); a.Specific.Decision != "allow" {
			t.Errorf("%s: %s", c.line, a.Out)
		}
		if a := run(c.line + "; rm -rf x"); a.Specific.Decision == "allow" {
			t.Errorf("more than %s: %s", c.line, a.Out)
		}
	}
}
