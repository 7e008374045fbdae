//go:build unix

package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

const none = "0000000000000000000000000000000000000000"

func (p *project) transaction(state, old, new, ref string) answer {
	p.t.Helper()
	return p.raw(old+" "+new+" "+ref+"\n", "git", "reference-transaction", state)
}

func TestGitMayNotMoveTheBranchesOfADrive(t *testing.T) {
	p := driven(t, drivestate.Coding)
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
	if _, err := p.drive.Watch.Override("mine", time.Minute); err != nil {
		t.Fatal(err)
	}
	if a := p.transaction("prepared", head, loose, "refs/heads/main"); a.Exit != 0 {
		t.Errorf("overridden, and still: %s", a.Err)
	}
}

func TestGitMayCommitInThePhaseForIt(t *testing.T) {
	p := driven(t, drivestate.Committing)
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

// A row that claims a move which was not allowed does not make it one.
func TestAMoveThatWasNotAllowedIsNotSeen(t *testing.T) {
	p := driven(t, drivestate.Coding)
	head := p.git("rev-parse", "HEAD")
	loose := p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	p.write(".git/refs/heads/feature/issue-42-x", loose+"\n")
	p.transaction("committed", head, loose, "refs/heads/feature/issue-42-x")
	if a := p.ran("x"); a.Decision != "block" || p.state().Frozen == nil {
		t.Errorf("forged: %s", a.Out)
	}
}

func TestMergingOnlyAdds(t *testing.T) {
	p := driven(t, drivestate.Merging)
	main, own := p.git("rev-parse", "main"), p.git("rev-parse", "feature/issue-42-x")
	orphan := p.git("commit-tree", "-m", "x", "HEAD^{tree}")
	if a := p.transaction("prepared", main, own, "refs/heads/main"); a.Exit != 0 {
		t.Errorf("a fast-forward: %s", a.Err)
	}
	if a := p.transaction("prepared", own, orphan, "refs/heads/feature/issue-42-x"); a.Exit != 0 {
		t.Errorf("a rebase: %s", a.Err)
	}
	for name, a := range map[string]answer{
		"the target is replaced": p.transaction("prepared", main, orphan, "refs/heads/main"),
		"the target is deleted":  p.transaction("prepared", main, none, "refs/heads/main"),
		"the branch is deleted":  p.transaction("prepared", own, none, "refs/heads/feature/issue-42-x"),
	} {
		if a.Exit != 1 {
			t.Errorf("%s", name)
		}
	}
	p.write(".git/refs/heads/main", orphan+"\n")
	if a := p.ran("x"); a.Decision != "block" {
		t.Errorf("a target that lost its past: %s", a.Out)
	}
}

// A project may be a folder below the top of its work tree.
func TestADriveInASubFolderIsGuardedByGit(t *testing.T) {
	p := newProject(t)
	p.write("svc/.claude/x", "")
	sub := turnstile.Open(filepath.Join(p.root, "svc"), turnstile.System())
	if _, err := sub.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid(), ClaudeSession: owner}); err != nil {
		t.Fatal(err)
	}
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	if a := p.transaction("prepared", head, loose, "refs/heads/feature/issue-42-x"); a.Exit != 1 {
		t.Error("not guarded")
	}
	if _, err := sub.Reset(); err != nil {
		t.Fatal(err)
	}
	if a := p.transaction("prepared", head, loose, "refs/heads/feature/issue-42-x"); a.Exit != 0 {
		t.Errorf("the drive is over, and still: %s", a.Err)
	}
}

func TestABranchIsMadeOfWhatIsThere(t *testing.T) {
	p := newProject(t)
	p.git("switch", "-q", "main")
	if _, err := p.drive.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	p.fire(drivestate.PrerequisitesOK, "")
	p.fire(drivestate.WorkSelected, `{"branch":"feature/new"}`)
	head, loose := p.git("rev-parse", "HEAD"), p.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
	if a := p.transaction("prepared", none, loose, "refs/heads/feature/new"); a.Exit != 1 {
		t.Error("a branch may be made of a commit that nobody saw")
	}
	if a := p.transaction("prepared", none, head, "refs/heads/feature/new"); a.Exit != 0 {
		t.Errorf("a branch is made: %s", a.Err)
	}
}

func TestPushesAreHeldToThePhase(t *testing.T) {
	p := driven(t, drivestate.Coding)
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
	p.walk(drivestate.Committing)
	if a := push(own, head, none); a.Exit != 0 {
		t.Errorf("not pushed in committing: %s", a.Err)
	}
	for name, a := range map[string]answer{"a force push": push(own, head, old), "of what we do not have": push(own, head, strings.Repeat("1", 40)), "a deletion": push(own, none, head), "the target": push("main", head, none)} {
		if a.Exit != 1 {
			t.Errorf("%s is let through", name)
		}
	}
	p.walk(drivestate.Merging)
	if a := push("main", p.git("rev-parse", "HEAD"), p.git("rev-parse", "main")); a.Exit != 0 {
		t.Errorf("level 3 does not merge: %s", a.Err)
	}
}

func TestGitIsRefusedWhatCannotBeAsked(t *testing.T) {
	p := driven(t, drivestate.Coding)
	p.write(".claude/.warp-drive-state.json", `{"version":99,"phase":"coding"}`)
	head := p.git("rev-parse", "HEAD")
	if a := p.transaction("prepared", head, head, "refs/heads/main"); a.Exit != 1 || !strings.Contains(a.Err, "warp doctor") {
		t.Errorf("got %+v", a)
	}
	if a := p.transaction("prepared", head, head, "refs/tags/x"); a.Exit != 0 {
		t.Errorf("a tag: %+v", a)
	}
}

// A chunk that is given up after its commit is reverted while coding: warp pushes what it
// journalled itself, and nothing else may be pushed there.
func TestWarpsOwnRevertIsPushed(t *testing.T) {
	p := driven(t, drivestate.Coding)
	const own = "feature/issue-42-x"
	push := func(local, remote string) answer {
		return p.raw("refs/heads/x "+local+" refs/heads/"+own+" "+remote+"\n", "git", "pre-push", "origin", "url")
	}
	was := p.git("rev-parse", "HEAD")
	revert := p.git("commit-tree", "-p", "HEAD", "-m", "revert: #42 chunk 1, given up", "HEAD^{tree}")
	if a := push(revert, was); a.Exit != 1 {
		t.Error("a commit that warp did not journal is pushed while coding")
	}
	if err := p.drive.Watch.RecordMoves("drive", drivestate.Move{Branch: own, Old: was, New: revert}); err != nil {
		t.Fatal(err)
	}
	if a := push(revert, was); a.Exit != 0 {
		t.Errorf("warp's own revert: %s", a.Err)
	}
	beyond := p.git("commit-tree", "-p", revert, "-m", "x", "HEAD^{tree}")
	for name, a := range map[string]answer{"what is beyond": push(beyond, was), "a force push": push(revert, beyond), "a new branch": push(revert, none), "a deletion": push(none, revert)} {
		if a.Exit != 1 {
			t.Errorf("%s is let through", name)
		}
	}
}
