package demo

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

// tree is all that a folder holds, git's own aside.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(strings.TrimPrefix(path, dir) + "\n" + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Every switch that leaves the process alive, and none, twice in equal places.
func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	for _, s := range append([]string{""}, liar, ticks, tamper, commit, destroy, overspend, limit, quotes, loop, garbage, hang, stumble) {
		for _, role := range []agent.Role{agent.Code, agent.Verify} {
			one, two := scratch(t), scratch(t)
			_, a := play(t, one, role, s)
			_, b := play(t, two, role, s)
			if a != b || a == "" {
				t.Errorf("%s %s: two outputs:\n%s\n%s", s, role, a, b)
			}
			if x, y := tree(t, one), tree(t, two); x != y {
				t.Errorf("%s %s: two trees:\n%s\n%s", s, role, x, y)
			}
			if x, y := git(t, one, "rev-parse", "HEAD"), git(t, two, "rev-parse", "HEAD"); x != y {
				t.Errorf("%s %s: two commits", s, role)
			}
		}
	}
}

func TestALiarChangesNothingAndSaysItDid(t *testing.T) {
	dir := scratch(t)
	before := tree(t, dir)
	exit, out := play(t, dir, agent.Code, "liar")
	if exit != 0 || !strings.Contains(out, `"result":{"summary":"2 criteria are done"}`) || tree(t, dir) != before {
		t.Errorf("exit %d: %s", exit, out)
	}
	if _, out := play(t, dir, agent.Verify, "liar"); strings.Count(out, `"met":true`) != 2 {
		t.Error(out)
	}
	if _, out := play(t, dir, agent.Verify, "code:liar"); strings.Count(out, `"met":false`) != 2 {
		t.Errorf("it lies in a role that it was not asked to lie in: %s", out)
	}
}

func TestTicksAreMadeBothWays(t *testing.T) {
	dir := scratch(t)
	play(t, dir, agent.Code, "ticks")
	if have := get(dir, ".claude/issues/7.md"); have != "# Seven\n\n- [x] AC-01: one\n- [x] AC-02: two\n- [ ] AC-03: three\n" {
		t.Error(have)
	}
	if have := get(dir, "issue-command.txt"); have != "issue check 7 AC-01 AC-02" {
		t.Error(have)
	}
}

func TestTamperingSkipsAndThenDeletes(t *testing.T) {
	dir := scratch(t)
	play(t, dir, agent.Code, "tamper")
	if have := get(dir, "fails_test.go"); have != strings.Replace(failing, "\tt.Fatal", "\tt.Skip(\"flaky\")\n\tt.Fatal", 1) {
		t.Error(have)
	}
	play(t, dir, agent.Fix, "tamper")
	if have := get(dir, "fails_test.go"); have != "" {
		t.Error(have)
	}
	play(t, dir, agent.Verify, "tamper") // a verifier was not asked to
	if get(dir, "demo_ac_01_test.go") == "" || strings.Contains(get(dir, "demo_ac_01_test.go"), "Skip") {
		t.Error("a verifier tampered")
	}
	play(t, dir, agent.Code, "tamper") // only its own are left
	if !strings.Contains(get(dir, "demo_ac_01_test.go"), "Skip") {
		t.Error("its own test was spared")
	}
}

func TestACommitGoesAroundTheHooks(t *testing.T) {
	dir := scratch(t)
	put(t, dir, ".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
	if err := os.Chmod(filepath.Join(dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	play(t, dir, agent.Code, "commit")
	if have := git(t, dir, "log", "--format=%s"); have != "demo: AC-01, AC-02\ntwo\none" {
		t.Error(have)
	}
	if have := git(t, dir, "status", "--short"); have != "?? .claude/" {
		t.Errorf("left over:\n%s", have)
	}
}

func TestDestructionTakesCommitChangesAndUntrackedFiles(t *testing.T) {
	dir := scratch(t)
	put(t, dir, "README.md", "# changed by the user\n")
	play(t, dir, agent.Code, "liar,destroy")
	if have := git(t, dir, "log", "--format=%s"); have != "one" {
		t.Error(have)
	}
	if get(dir, "README.md") != "# scratch" || get(dir, "notes.txt") != "" || get(dir, ".claude/issues/7.md") != "" {
		t.Error(tree(t, dir))
	}
}

func TestALoopMakesTheSameEdit(t *testing.T) {
	dir := scratch(t)
	_, out := play(t, dir, agent.Code, "loop")
	if n := strings.Count(out, `"input":"demo_loop.txt"`); n != edits || !strings.Contains(out, "2 criteria are done") {
		t.Errorf("%d edits", n)
	}
	if get(dir, "demo_ac_01.go") != "" || get(dir, "demo_loop.txt") != "the same words as before\n" {
		t.Error("it came forward")
	}
	before := tree(t, dir)
	if play(t, dir, agent.Code, "loop"); tree(t, dir) != before {
		t.Error("a second run brought something new")
	}
}

func TestALimitIsMetOnceASession(t *testing.T) {
	dir := scratch(t)
	exit, out := play(t, dir, agent.Code, "limit")
	if exit != 1 || !strings.Contains(out, `"type":"limit"`) || !strings.Contains(out, `"retry_after":3`) || strings.Contains(out, `"type":"result"`) {
		t.Fatalf("exit %d: %s", exit, out)
	}
	session := SessionOf("code", "7", "1", "AC-01,AC-02", "Do it")
	if have := get(dir, ".claude/state/demo.json"); have != "" { // a sandbox would not let it
		t.Errorf("it wrote %s", have)
	}
	if exit, out := play(t, dir, agent.Code, "limit", "--resume="+session); exit != 0 || get(dir, "demo_ac_02.go") == "" {
		t.Errorf("resumed: exit %d: %s", exit, out)
	}
	if exit, _ := play(t, dir, agent.Code, "limit"); exit != 1 {
		t.Errorf("the next one: exit %d", exit)
	}
}

func TestAnUnknownSwitchIsAnError(t *testing.T) {
	exit, out := play(t, scratch(t), agent.Code, "lair")
	if exit != 1 || !strings.Contains(out, `\"lair\" is not a way to misbehave; choose one of liar, ticks`) {
		t.Errorf("exit %d: %s", exit, out)
	}
}
