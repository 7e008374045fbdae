//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
)

const stateFile = ".claude/.warp-drive-state.json"

// edited changes the state file as an agent would, in place.
func (p *project) edited(name, old, new string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		p.t.Fatalf("%v: %q is not in %s", err, old, text)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.WriteString(strings.Replace(string(text), old, new, 1))
	}
	if err != nil || f.Close() != nil {
		p.t.Fatal(err)
	}
}

// guardedCalls are what a frozen drive refuses, in whatever phase.
var guardedCalls = []string{"git commit -m 'feat: x'", "git push origin HEAD", "git merge x", "git reset --hard"}

func (p *project) refusesAll(t *testing.T, why string) {
	t.Helper()
	for _, command := range guardedCalls {
		if a := p.bash(command); !a.denied() {
			t.Errorf("%s: %s is let through", why, command)
		}
	}
	if a := p.edit("PreToolUse", "a.go"); !a.denied() {
		t.Errorf("%s: an edit is let through", why)
	}
	if a := p.bash("ls"); a.Out != "" {
		t.Errorf("%s: ls: %s", why, a.Out)
	}
}

func TestAFrozenDriveRefusesEveryGuardedOperation(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.git("update-ref", "refs/heads/main", p.git("commit-tree", "-p", "main", "-m", "x", "main^{tree}"))
	p.ran("ls")
	if p.state().Frozen == nil {
		t.Fatal("it is not frozen")
	}
	p.refusesAll(t, "a branch moved")
	for _, op := range drivestate.Operations {
		if may, err := p.drive.Permit(op, ""); err != nil || may.Allowed || !strings.Contains(may.Reason, "frozen") {
			t.Errorf("gate %s: %+v, %v", op, may, err)
		}
	}
	if _, err := p.drive.Watch.Override("mine", time.Minute); err != nil {
		t.Fatal(err)
	}
	if a := p.bash(guardedCalls[0]); a.Out != "" {
		t.Errorf("a person has said otherwise: %s", a.Out)
	}
}

func TestAFreezeWithoutItsMovesIsNoPanic(t *testing.T) {
	p := driven(t, drivestate.Committing)
	p.edited(stateFile, `"frozen"`[:0]+`"phase": "committing"`, `"phase": "committing", "frozen": {}`)
	for _, event := range []string{"SessionStart", "PostToolUse", "Stop", "UserPromptSubmit"} {
		if a := p.hook(event, payload{"tool_name": "Bash", "tool_input": payload{"command": "ls"}}); a.Exit != 0 || strings.Contains(a.Out+p.journal(), "it broke") {
			t.Errorf("%s: %s", event, a.Out)
		}
	}
	p.refusesAll(t, "frozen: {}")
	if p.state().Frozen == nil {
		t.Error("it thawed by itself")
	}
	if s := p.state(); drivestate.BriefSession(s, drivestate.Limits{}, false, time.Now()) == "" {
		t.Error("no context")
	}
}

func TestAStateThatSomethingElseChangesFreezesTheDrive(t *testing.T) {
	for name, change := range map[string]struct{ old, new string }{
		"its phase":   {`"phase": "coding"`, `"phase": "committing"`},
		"its end":     {`"phase": "coding"`, `"phase": "completed"`},
		"its owner":   {owner, "somebody-else"},
		"its counter": {`"retry_count": 0`, `"retry_count": -0`},
	} {
		for _, linked := range []bool{false, true} {
			p := driven(t, drivestate.Coding)
			file := stateFile
			if linked {
				file = "innocent.json"
				if err := os.Link(filepath.Join(p.root, stateFile), filepath.Join(p.root, file)); err != nil {
					t.Fatal(err)
				}
			}
			p.edited(file, change.old, change.new)
			if a := p.bash("git commit -m 'feat: x'"); !a.denied() {
				t.Errorf("%s: a commit is let through before anybody looked", name)
			}
			if a := p.ran("ls"); a.Decision != "block" {
				t.Errorf("%s: the session is not told: %s", name, a.Out)
			}
			p.refusesAll(t, name)
			head := p.git("rev-parse", "HEAD")
			loose := p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
			if a := p.transaction("prepared", head, loose, "refs/heads/feature/issue-42-x"); a.Exit != 1 {
				t.Errorf("%s: git may move the branch", name)
			}
			if _, err := p.drive.Fire(t.Context(), drivestate.Committed, ""); err == nil {
				t.Errorf("%s: an event is let through", name)
			}
			if _, err := p.drive.Watch.Override("mine", time.Minute); err != nil {
				t.Fatal(err)
			}
			if a := p.ran("ls"); a.Decision == "block" {
				t.Errorf("%s: a person has accepted it: %s", name, a.Out)
			}
		}
	}
}

// What is written next must not make a change look like warp's own.
func TestAChangedStateIsNotLaundered(t *testing.T) {
	for name, write := range map[string]func(*project) error{
		"settled": func(p *project) error { return p.drive.FoldObservations() },
		"paused":  func(p *project) error { _, err := p.drive.Pause(); return err },
		"adopted": func(p *project) error { _, err := p.drive.Adopt(owner, os.Getpid()+1, false); return err },
	} {
		p := driven(t, drivestate.Coding)
		p.edited(stateFile, `"phase": "coding"`, `"phase": "committing"`)
		if err := write(p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if f := p.state().Frozen; f == nil || !f.State {
			t.Errorf("%s: it is not frozen", name)
		}
	}
}
