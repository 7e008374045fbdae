//go:build unix

package hook_test

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/hook"
	"warp/internal/turnstile"
)

// later runs a hook as if time had passed.
func (p *project) later(after time.Duration, event string, more payload) string {
	p.t.Helper()
	around, out, _ := p.around(strings.NewReader(p.text(event, more)))
	around.System.Now = func() time.Time { return time.Now().Add(after) }
	if code := hook.Run([]string{event}, around); code != 0 {
		p.t.Errorf("%s: exit %d", event, code)
	}
	return out.String()
}

func TestTimeBudgetsAreLookedAtByHooks(t *testing.T) {
	ls := payload{"tool_name": "Bash", "tool_input": payload{"command": "ls"}}
	touch := payload{"tool_name": "Bash", "tool_input": payload{"command": "touch a.txt"}}
	write := payload{"tool_name": "Write", "tool_input": payload{"file_path": "a.go", "content": "x"}}
	for _, c := range []struct {
		name, settings, event, reason string
		call                          payload
		to                            drivestate.Phase
	}{
		{"the phase's", `{"phase_timeout_enforcement":"block","max_phase_minutes":5}`, "PostToolUse", drivestate.PhaseTimeout, ls, drivestate.BudgetExceeded},
		{"the phase's, before a command", `{"phase_timeout_enforcement":"block","max_phase_minutes":5}`, "PreToolUse", drivestate.PhaseTimeout, touch, drivestate.BudgetExceeded},
		{"the phase's, before an edit", `{"phase_timeout_enforcement":"block","max_phase_minutes":5}`, "PreToolUse", drivestate.PhaseTimeout, write, drivestate.BudgetExceeded},
		{"the session's", `{"max_session_minutes":5}`, "PostToolUse", drivestate.SessionTimeout, ls, drivestate.BudgetExceeded},
		{"an abort", `{"phase_timeout_enforcement":"abort","max_phase_minutes":5}`, "PostToolUse", drivestate.PhaseTimeout, ls, drivestate.Aborted},
		{"only a warning", `{"max_phase_minutes":5}`, "PostToolUse", "", ls, drivestate.Coding},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			p.write(".claude/settings.local.json", `{"_workflow":`+c.settings+`}`)
			p.drive = turnstile.Open(p.root, turnstile.System())
			driveOn(t, p, 3)
			p.walk(drivestate.Coding)
			if out := p.later(4*time.Minute, c.event, c.call); out != "" || p.phase() != drivestate.Coding {
				t.Errorf("there is time left: in %s, %s", p.phase(), out)
			}
			out := p.later(6*time.Minute, c.event, c.call)
			s := p.state()
			if s.Phase != c.to || strings.Contains(out, "time is up") != (c.reason != "") {
				t.Fatalf("in %s: %s", s.Phase, out)
			}
			if c.reason == "" {
				return
			}
			if s.Budgets.ExceededFromPhase != drivestate.Coding || strings.Join(s.Budgets.ExceededReasons, " ") != c.reason {
				t.Errorf("%+v", s.Budgets)
			}
			if refused := strings.Contains(out, `"deny"`); refused != (c.event == "PreToolUse") {
				t.Errorf("%s", out)
			}
			if out := p.later(7*time.Minute, c.event, ls); strings.Contains(out, "time is up") {
				t.Errorf("told again: %s", out)
			}
			if c.to != drivestate.BudgetExceeded {
				return
			}
			if _, err := p.drive.Continue(t.Context()); err != nil || p.phase() != drivestate.Coding {
				t.Errorf("in %s: %v", p.phase(), err)
			}
		})
	}
}

func TestTimeBudgetsSpareOthersAndPauses(t *testing.T) {
	p := newProject(t)
	p.write(".claude/settings.local.json", `{"_workflow":{"max_session_minutes":5}}`)
	driveOn(t, p, 3)
	p.walk(drivestate.Coding)
	call := payload{"session_id": "another", "tool_name": "Bash", "tool_input": payload{"command": "touch a"}}
	for _, event := range []string{"PreToolUse", "PostToolUse"} {
		if out := p.later(time.Hour, event, call); out != "" || p.phase() != drivestate.Coding {
			t.Errorf("%s of another session: in %s, %s", event, p.phase(), out)
		}
	}
	if _, err := p.drive.Pause(); err != nil {
		t.Fatal(err)
	}
	delete(call, "session_id")
	if out := p.later(time.Hour, "PostToolUse", call); out != "" || p.phase() != drivestate.Coding {
		t.Errorf("paused: in %s, %s", p.phase(), out)
	}
}
