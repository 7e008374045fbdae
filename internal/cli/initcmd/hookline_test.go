//go:build unix

package initcmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/lossless"
)

// lines are the command lines that an agent's settings get.
func lines(t *testing.T, a agent) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, g := range a.render(hookProgram) {
		line := g.value.Get("hooks").Elems[0].Get("command")
		if line == nil || line.Kind != lossless.String {
			t.Fatalf("%s: %s has no command", a.name, g.event)
		}
		all[g.event] = line.Text()
	}
	return all
}

// In a clone whose owner has no warp, nothing is denied without a drive, and nothing is
// said; with one, a guard denies. With the program, it is the program that answers.
func TestTheLineOfAHookWhereWarpIsMissing(t *testing.T) {
	guards := map[string]string{"claude": "PreToolUse", "codex": "PreToolUse", "gemini": "BeforeTool"}
	for _, shell := range []string{"sh", "bash"} {
		for _, a := range agents {
			for event, line := range lines(t, a) {
				top := filepath.Join(t.TempDir(), "it's a dir")
				deep := filepath.Join(top, "a", "b")
				if err := errors.Join(os.MkdirAll(filepath.Join(top, ".git"), 0o755), os.MkdirAll(deep, 0o755), os.MkdirAll(filepath.Join(top, ".claude"), 0o755)); err != nil {
					t.Fatal(err)
				}
				run := func(path string) (string, int) {
					program, err := exec.LookPath(shell)
					if err != nil {
						t.Fatal(err)
					}
					cmd := exec.Command(program, "-c", line)
					cmd.Dir, cmd.Env = deep, []string{"PATH=" + path}
					if a.name != "codex" { // whose hooks run in the session's folder
						cmd.Dir = "/"
						cmd.Env = append(cmd.Env, "CLAUDE_PROJECT_DIR="+deep)
					}
					out, err := cmd.CombinedOutput()
					if cmd.ProcessState == nil {
						t.Fatal(err)
					}
					return string(out), cmd.ProcessState.ExitCode()
				}
				nowhere := t.TempDir()
				if out, code := run(nowhere); code != 0 || out != "" {
					t.Errorf("%s, %s %s, no drive: %d %q", shell, a.name, event, code, out)
				}
				outer := filepath.Join(filepath.Dir(top), ".claude") // of another project
				for _, dir := range []string{outer, filepath.Join(top, ".claude")} {
					if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, ".warp-drive-state.json"), []byte("{}"), 0o644)); err != nil {
						t.Fatal(err)
					}
					out, code := run(nowhere)
					if want := event == guards[a.name] && dir != outer; want != (code == 2 && strings.Contains(out, "warp-hook is missing")) || !want && (code != 0 || out != "") {
						t.Errorf("%s, %s %s, a drive in %s: %d %q", shell, a.name, event, dir, code, out)
					}
				}
				bin := t.TempDir()
				if err := os.WriteFile(filepath.Join(bin, hookProgram), []byte("#!/bin/sh\necho \"$@\"\nexit 7\n"), 0o755); err != nil {
					t.Fatal(err)
				}
				if out, code := run(bin); code != 7 || !strings.HasSuffix(out, event+"\n") {
					t.Errorf("%s, %s %s, installed: %d %q", shell, a.name, event, code, out)
				}
			}
		}
	}
}
