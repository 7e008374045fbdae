//go:build linux

package trial

import (
	"strings"
	"testing"
)

// The server of a work tree is ended before the work tree is removed: afterwards
// it would write into a folder that nobody has any more.
func TestAServerIsEndedBeforeItsWorkTreeIsRemoved(t *testing.T) {
	t.Parallel()
	const tree = ".claude/worktrees/issue-1"
	t.Run("by the drive", func(t *testing.T) {
		t.Parallel()
		p := shopOf(t, script{})
		exit, said := p.drive("--worktree")
		if left := p.alive(); exit != 0 || len(p.starts()) != 1 || len(left) > 0 || p.read("../ended") != "true" || p.try("test -e "+tree) {
			t.Fatalf("exit %d, left %q, its files were there: %s\n%s", exit, left, p.read("../ended"), said)
		}
	})
	t.Run("by warp clean", func(t *testing.T) {
		t.Parallel()
		p := shopOf(t, script{})
		p.sh("git worktree add -q -b feature/issue-7-x " + tree + " && cd " + tree + " && mkdir .claude && echo '*' > .claude/.gitignore && warp dev up && cd - && warp clean --yes")
		if left := p.alive(); len(left) > 0 || p.read("../ended") != "true" || p.try("test -e "+tree) {
			t.Errorf("left %q, its files were there: %s", left, p.read("../ended"))
		}
	})
}

// What nobody trusts is not tried again, and the way on is to trust it.
func TestAnUntrustedEnvironmentNamesTheWayOn(t *testing.T) {
	t.Parallel()
	p := shopOf(t, script{})
	p.sh("warp trust --revoke dev.json")
	exit, said := p.drive()
	if o := p.evidence().Outcome; exit != 13 || !strings.Contains(o.Do, "warp trust") || strings.Contains(o.Why, "attempts") {
		t.Errorf("exit %d, %+v\n%s", exit, o, said)
	}
}
