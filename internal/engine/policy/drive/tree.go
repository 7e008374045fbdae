package drive

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

func (e *Engine) repo() git.Repo { return e.Work.Repo() }

// checkBranch requires that the drive's branch is checked out: commits elsewhere are not its work.
func checkBranch(t *turn) error {
	on, err := t.lander.CheckedOut()
	switch b := t.s.BranchName(); {
	case errors.Is(err, git.ErrNotRepo):
		return needsPerson("warp recover status", "the work tree or its .git is gone; the commits are on the branch")
	case err != nil:
		return err
	case b == "" || b == t.s.MergeTarget:
		return needsPerson("git switch -c feature/issue-"+t.s.Issue()+", then warp stop --hard and warp drive "+t.s.Issue(), "the drive has no branch")
	case on != b:
		return needsPerson("git switch "+b+", then warp resume", "the drive works on %s, but %s is checked out", b, orDetached(on))
	}
	return nil
}

func orDetached(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}

// snapshotWorkTree retakes the work tree's fingerprint, after something ran that may have changed
// it.
func (e *Engine) snapshotWorkTree() (string, error) {
	e.Drive.Tree.AssumeChanged()
	tree, err := e.Drive.Tree.Fingerprint()
	if err == nil {
		e.Drive.Tree.AssumeUnchanged(tree)
	}
	return tree, err
}

// acceptWorkTree accepts the work tree as the engine left it: the guard then blames the difference
// on neither a person nor an agent.
func (e *Engine) acceptWorkTree(ctx context.Context) error {
	e.Drive.Tree.AssumeChanged()
	if e.guard == nil { // no agent of ours runs here
		return nil
	}
	return e.guard.Settle(context.WithoutCancel(ctx))
}

// keepReachable protects a commit or tree from garbage collection, and returns its ref.
func (t *turn) keepReachable(ctx context.Context, what, object string) string {
	name := fmt.Sprintf("%s/issue-%s-chunk-%d-%s-%s", what, t.s.Issue(), t.s.Chunk.Index, t.Now().UTC().Format("20060102T150405"), text.Hash(object))
	if err := t.Work.Keep(ctx, name, object); err != nil {
		t.remark("%s could not be kept: %v", text.Hash(object), err)
		return ""
	}
	return "refs/warp/" + name
}

// branchMoved tells all drives of the repository, including this one, that a branch moved.
func branchMoved(e *Engine, branch, old, new string) {
	m := drivestate.Move{Branch: branch, Old: old, New: new}
	var errs []error
	if err := e.Drive.Watch.RecordMoves("drive", m); err != nil {
		errs = append(errs, err)
	}
	if place, ok := e.lander.Place(); ok {
		errs = append(errs, turnstile.TellDrives(place, e.Drive.Root(), "drive", m)...)
	}
	for _, err := range errs {
		e.remark("%v", err)
	}
}

// listOtherDrives returns the repository's other work trees that have a drive.
func listOtherDrives(e *Engine) (roots []string) {
	place, ok := e.lander.Place()
	if !ok {
		return nil
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if root != e.Drive.Root() && turnstile.HasState(root) {
			roots = append(roots, root)
		}
	}
	return roots
}
