package work

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestPrecheckSeesWhatWouldBeCommitted(t *testing.T) {
	b := newBox(t)
	b.write("b", with(lines("b", 9), "b1", "mine"))
	b.write("mine", "1")
	b.git("add", "mine")
	base := b.snap()
	b.write("a", "chunk\n")
	b.write("b", with(with(lines("b", 9), "b1", "mine"), "b9", "chunk"))
	b.script(".git/hooks/pre-commit", "echo staged: $(git diff --cached --name-only)\necho dirty: $(git diff-files --name-only)\ngit diff --cached b | grep mine && exit 1\necho größe $LC_ALL\ngit add -A\n")
	b.script(".git/hooks/commit-msg", "echo 'Change-Id: 1' >> \"$1\"\n")
	status := b.git("status", "--porcelain")
	v, err := b.Precheck(context.Background(), b.change(base))
	b.ok(err)
	if !v.OK || v.Said != "staged: a b\ndirty: b\ngröße C.UTF-8" || v.Message != b.change(base).Message+"Change-Id: 1\n" {
		t.Errorf("got %+v", v)
	}
	if now := b.git("status", "--porcelain"); now != status {
		t.Errorf("the index has changed from %q to %q", status, now)
	}
	b.clean()
}

// A tree that is wholly the chunk's is committed as it is; hooks see it whole.
func TestPrecheckOfATree(t *testing.T) {
	b := newBox(t)
	c := b.change(b.snap())
	b.write("a", "chunk\n")
	b.write("fresh", "chunk\n")
	c.Tree = b.snap()
	b.write("later", "not the chunk's\n")
	b.script(".git/hooks/pre-commit", "echo staged: $(git diff --cached --name-only)\n")
	v, err := b.Precheck(context.Background(), c)
	b.ok(err)
	if !v.OK || v.Said != "staged: a fresh" {
		t.Errorf("got %+v", v)
	}
	hash, err := b.Commit(context.Background(), c)
	b.ok(err)
	if got := b.git("rev-parse", hash+"^{tree}"); got != c.Tree {
		t.Errorf("the commit's tree is %s, not %s", got, c.Tree)
	}
	b.wantStatus("?? later")
}

func TestPrecheckRefusals(t *testing.T) {
	b := newBox(t)
	base := b.snap()
	b.write("a", "chunk\n")
	v, err := b.Precheck(context.Background(), b.change(base))
	if err != nil || !v.OK || v.Said != "" {
		t.Errorf("without hooks: %+v, %v", v, err)
	}
	b.git("config", "core.hooksPath", "own hooks")
	b.script("own hooks/commit-msg", "grep -q '^feat: ' \"$1\" || { echo 'not conventional, see https://u:secret@example.org/x'; exit 3; }\n")
	c := b.change(base)
	c.Message = "stuff\n"
	v, err = b.Precheck(context.Background(), c)
	if err != nil || v.OK || v.Said != "not conventional, see https://***@example.org/x" {
		t.Errorf("got %+v, %v", v, err)
	}
	// A hook that mends files is asked twice.
	b.script("own hooks/pre-commit", "grep -q chunk a || exit 0\necho mended > a; exit 1\n")
	for _, want := range []bool{false, true} {
		if v, err := b.Precheck(context.Background(), b.change(base)); err != nil || v.OK != want {
			t.Errorf("got %+v, %v", v, err)
		}
	}
}

func TestHooksOfAnOlderGit(t *testing.T) {
	b := newBox(t)
	b.script(".git/hooks/pre-commit", "echo on \"$1\" in $(pwd); exit $2\n")
	c := newHookCall()
	for _, code := range []string{"0", "7"} {
		ok, said, err := b.oldHook(context.Background(), c, "pre-commit", []string{"x y", code})
		if err != nil || ok != (code == "0") || said != "on x y in "+b.Dir {
			t.Errorf("got %v, %q, %v", ok, said, err)
		}
	}
	b.ok(os.Chmod(b.path(".git/hooks/pre-commit"), 0o644))
	for _, name := range []string{"pre-commit", "none"} {
		if ok, said, err := b.oldHook(context.Background(), c, name, nil); err != nil || !ok || said != "" {
			t.Errorf("%s: %v, %q, %v", name, ok, said, err)
		}
	}
}

func TestScrub(t *testing.T) {
	for in, want := range map[string]string{
		"fatal: 'https://user:p@ss@host/x' gone":  "fatal: 'https://***@host/x' gone",
		"https://token@a/ and ssh://git@b:22/c@d": "https://***@a/ and ssh://***@b:22/c@d",
		"plain a@b https://host/@x://":            "plain a@b https://host/@x://",
		"https://u:p@host":                        "https://***@host",
	} {
		if got := scrub(in); got != want || strings.Contains(got, "p@ss") {
			t.Errorf("%q: %q", in, got)
		}
	}
}
