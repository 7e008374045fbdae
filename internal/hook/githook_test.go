//go:build unix

package hook_test

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/drive"
)

const none = "0000000000000000000000000000000000000000"

func (p *project) transaction(state, old, new, ref string) answer {
	p.t.Helper()
	return p.raw(old+" "+new+" "+ref+"\n", "git", "reference-transaction", state)
}

func TestGitMayNotMoveTheBranchesOfADrive(t *testing.T) {
	p := driven(t, drive.Coding)
	head := p.git("rev-parse", "HEAD")
	loose := p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	for _, branch := range []string{"feature/issue-42-x", "main"} {
		a := p.transaction("prepared", head, loose, "refs/heads/"+branch)
		if a.Exit != 1 || !strings.Contains(a.Err, "warp override") || !strings.Contains(a.Err, branch) {
			t.Errorf("%s: %+v", branch, a)
		}
		if a := p.transaction("prepared", head, none, "refs/heads/"+branch); a.Exit != 1 {
			t.Errorf("%s may be deleted", branch)
		}
	}
	for _, ref := range []string{"refs/heads/other", "refs/remotes/origin/main", "HEAD", "refs/tags/x", "refs/stash"} {
		if a := p.transaction("prepared", head, loose, ref); a.Exit != 0 {
			t.Errorf("%s: %s", ref, a.Err)
		}
	}
	if a := p.transaction("aborted", head, loose, "refs/heads/main"); a.Exit != 0 {
		t.Error("what did not happen is refused")
	}
	if _, err := p.drive.Override("mine", time.Minute); err != nil {
		t.Fatal(err)
	}
	if a := p.transaction("prepared", head, loose, "refs/heads/main"); a.Exit != 0 {
		t.Errorf("overridden, and still: %s", a.Err)
	}
}

func TestGitMayCommitInThePhaseForIt(t *testing.T) {
	p := driven(t, drive.Committing)
	head := p.git("rev-parse", "HEAD")
	next := p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	side := p.git("commit-tree", "-m", "x", "HEAD^{tree}")
	const branch = "refs/heads/feature/issue-42-x"
	if a := p.transaction("prepared", head, next, branch); a.Exit != 0 {
		t.Errorf("a commit: %s", a.Err)
	}
	if a := p.transaction("prepared", head, side, branch); a.Exit != 1 || !strings.Contains(a.Err, "drop commits") {
		t.Errorf("dropping the past: %+v", a)
	}
	if a := p.transaction("prepared", head, next, "refs/heads/main"); a.Exit != 1 {
		t.Error("the merge target may be moved in committing")
	}
	p.git("update-ref", branch, next)
	if a := p.transaction("committed", head, next, branch); a.Exit != 0 {
		t.Fatal(a.Err)
	}
	if tip := p.state().Watch["feature/issue-42-x"].Tip; tip != next {
		t.Errorf("seen at %s, not at %s", tip, next)
	}
}

func TestABranchIsMadeOfWhatIsThere(t *testing.T) {
	p := newProject(t)
	p.git("switch", "-q", "main")
	p.drive = driveOn(t, p, 3)
	p.fire(drive.PrerequisitesOK, "")
	p.fire(drive.WorkSelected, `{"branch":"feature/new"}`)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	if a := p.transaction("prepared", none, loose, "refs/heads/feature/new"); a.Exit != 1 {
		t.Error("a branch may be made of a commit that nobody saw")
	}
	if a := p.transaction("prepared", none, head, "refs/heads/feature/new"); a.Exit != 0 {
		t.Errorf("a branch is made: %s", a.Err)
	}
}

func TestPushesAreHeldToThePhase(t *testing.T) {
	p := driven(t, drive.Coding)
	head := p.git("rev-parse", "HEAD")
	old := p.git("commit-tree", "-m", "x", "HEAD^{tree}")
	push := func(branch, local, remote string) answer {
		return p.raw("refs/heads/x "+local+" refs/heads/"+branch+" "+remote+"\n", "git", "pre-push", "origin", "url")
	}
	const own = "feature/issue-42-x"
	if a := push(own, head, none); a.Exit != 1 {
		t.Error("pushed while coding")
	}
	if a := push("mine", head, old); a.Exit != 0 {
		t.Errorf("a person's own branch: %s", a.Err)
	}
	p.walk(drive.Committing)
	if a := push(own, head, none); a.Exit != 0 {
		t.Errorf("not pushed in committing: %s", a.Err)
	}
	for name, a := range map[string]answer{"a force push": push(own, head, old), "of what we do not have": push(own, head, strings.Repeat("1", 40)), "a deletion": push(own, none, head), "the target": push("main", head, none)} {
		if a.Exit != 1 {
			t.Errorf("%s is let through", name)
		}
	}
	p.walk(drive.Merging)
	if a := push("main", p.git("rev-parse", "HEAD"), p.git("rev-parse", "main")); a.Exit != 0 {
		t.Errorf("level 3 does not merge: %s", a.Err)
	}
}

func TestGitIsRefusedWhatCannotBeAsked(t *testing.T) {
	p := driven(t, drive.Coding)
	p.write(".claude/.warp-drive-state.json", `{"version":99,"phase":"coding"}`)
	head := p.git("rev-parse", "HEAD")
	if a := p.transaction("prepared", head, head, "refs/heads/main"); a.Exit != 1 || !strings.Contains(a.Err, "warp doctor") {
		t.Errorf("got %+v", a)
	}
	if a := p.transaction("prepared", head, head, "refs/tags/x"); a.Exit != 0 {
		t.Errorf("a tag: %+v", a)
	}
}
