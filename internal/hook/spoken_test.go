//go:build linux

package hook_test

import (
	"os/exec"
	"testing"

	"warp/internal/core/drivestate"
)

// A program that the model runs can call the hook as Claude Code does, and say what a
// person has typed. It descends from the model's shell, which is no hook's.
func TestOnlyClaudeCodeTellsWhatAPersonTyped(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.env = map[string]string{"HOME": t.TempDir()}
	for _, one := range []struct {
		name   string
		env    []string
		denied bool
	}{
		{"a shell of the model's", []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x"}, true},
		{"the shell of a hook", []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_PROJECT_DIR=" + p.root}, false},
	} {
		shell := exec.Command("sleep", "60")
		shell.Env = one.env
		if err := shell.Start(); err != nil {
			t.Fatal(err)
		}
		p.parent = shell.Process.Pid
		p.hook("UserPromptSubmit", payload{"prompt": "warp answer q1 yes"})
		p.parent = 0
		if a := p.bash("warp answer q1 yes"); a.denied() != one.denied {
			t.Errorf("%s: %s", one.name, a.Out)
		}
		_ = shell.Process.Kill()
		_ = shell.Wait()
	}
}
