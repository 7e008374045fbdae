//go:build linux

package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
)

// astray is a project with a test that checks another branch out, in a folder.
func astray(t *testing.T, folder func(*project) string) *project {
	t.Helper()
	p := driven(t, script{})
	p.sh(`echo 'git -C ` + folder(p) + ` checkout -q -B elsewhere' >> test.sh && git add test.sh && git commit -q -m 'test: a test that goes astray' test.sh`)
	p.base = p.sh("git rev-parse main")
	return p
}

// Tests go astray in the clean room, where it is nobody's branch.
func TestTestsThatGoAstray(t *testing.T) {
	t.Parallel()
	p := astray(t, func(*project) string { return "." })
	exit, said := p.drive()
	if exit != 0 || p.evidence().Outcome.Result != evidence.Merged {
		t.Errorf("exit %d:\n%s", exit, said)
	}
	if have := p.sh("git branch --list elsewhere; git branch --show-current"); have != "main" {
		t.Errorf("the branches are %s", have)
	}
	p.untouched()
}

// What is committed elsewhere is not the drive's work, no matter who checked it out.
func TestADriveKeepsToItsBranch(t *testing.T) {
	t.Parallel()
	p := astray(t, func(p *project) string { return p.root })
	exit, said := p.drive("--level", "3")
	if exit != 13 || !strings.Contains(said, "elsewhere is checked out") {
		t.Errorf("exit %d:\n%s", exit, said)
	}
	if now := p.sh("git rev-parse main"); now != p.base {
		t.Errorf("main moved to %s", now)
	}
	if !strings.Contains(p.sh("warp issue show 1 --json"), `"open": true`) {
		t.Error("the issue is closed")
	}
}

// An agent that deletes its whole work tree does not turn the drive against the
// one around it.
func TestAWorkTreeThatIsGone(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: `rm -rf "$PWD"; mkdir -p "$(dirname "$WARP_RESULT")"`})
	before := p.sh("git status --porcelain && git rev-parse HEAD && git symbolic-ref HEAD && git diff --cached")
	exit, said := p.drive("--level", "3", "--worktree")
	if exit != 13 && exit != 1 {
		t.Errorf("exit %d:\n%s", exit, said)
	}
	if after := p.sh("git status --porcelain && git rev-parse HEAD && git symbolic-ref HEAD && git diff --cached"); after != before {
		t.Errorf("the user's own work tree was\n%s\nand is\n%s", before, after)
	}
	p.untouched()
	p.employ(script{})
	if exit, said := p.drive("--level", "3", "--worktree"); exit != 0 {
		t.Errorf("again: exit %d:\n%s", exit, said)
	}
}

// Work in progress that nobody has judged is no base to build on.
func TestWorkInProgressIsNotSmuggledIn(t *testing.T) {
	t.Parallel()
	p := driven(t, script{after: `echo bad > backdoor.sh; rm sum.test.js; touch "$TRIAL/../here"; while [ -e "$TRIAL/../here" ]; do sleep 0.05; done`})
	cmd := p.command(filepath.Join(bin, "warp"), "drive", "1", "--level", "3")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.sh(`while [ ! -e ../here ]; do sleep 0.05; done; warp stop`)
	_ = cmd.Wait()
	os.Remove(filepath.Join(filepath.Dir(p.root), "here"))
	if got := p.sh("git log --format=%s -1 feature/issue-1-mail"); !strings.HasPrefix(got, "wip: #1") {
		t.Fatalf("no work in progress was kept: %s", got)
	}
	p.employ(script{})
	if exit, said := p.drive("--level", "3"); exit != 0 {
		t.Fatalf("exit %d:\n%s", exit, said)
	}
	if files := p.sh("git ls-tree -r --name-only main"); strings.Contains(files, "backdoor") || !strings.Contains(files, "sum.test.js") {
		t.Errorf("main has\n%s", files)
	}
	if log := p.sh("git log --format=%s main"); strings.Contains(log, "wip:") {
		t.Errorf("main has work in progress:\n%s", log)
	}
	if kept := p.sh("git for-each-ref refs/warp/wip"); kept == "" {
		t.Error("it was not kept")
	}
}

// A drive that was killed in a work tree of its own is resumed from the
// main one, and nobody begins its issue a second time.
func TestAWorkTreeDriveIsGoneOnWith(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.env = []string{"WARP_CRASH_AT=code_complete#1"}
	p.warp("drive", "1", "--worktree", "--level", "3")
	p.env = nil
	exit, said := p.warp("resume")
	if exit != 0 || !strings.Contains(said, "merged") {
		t.Errorf("exit %d:\n%s", exit, said)
	}
	if trees := p.sh("git worktree list"); strings.Contains(trees, "\n") {
		t.Errorf("left:\n%s", trees)
	}
}

// A typo leaves no session behind.
func TestATypoIsInNobodysWay(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	for _, args := range [][]string{{"drive", "99", "--level", "3"}, {"drive", "99", "--level", "3", "--worktree"}, {"drive", "1", "--level", "4"}} {
		if exit, said := p.warp(args...); exit != 2 {
			t.Errorf("%v: exit %d:\n%s", args, exit, said)
		}
	}
	if exit, said := p.warp("drive", "1", "--level", "3"); exit != 0 {
		t.Errorf("exit %d:\n%s", exit, said)
	}
}
