package gitwrite

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// inUseError means that a branch is checked out or being rebased in a work tree.
type inUseError struct{ Branch, Dir string }

func (e *inUseError) Error() string { return fmt.Sprintf("%s is checked out in %s", e.Branch, e.Dir) }

// DeleteBranch deletes a branch if it is at a commit and no work tree has it checked out.
func (t Tree) DeleteBranch(ctx context.Context, branch, at string) error {
	if err := branchName(branch); err != nil {
		return err
	}
	if !git.IsHash(at) {
		return fmt.Errorf("deleting %s: %q is not a full hash", branch, at)
	}
	dir, err := t.FindUser(ctx, branch)
	if dir != "" {
		return &inUseError{branch, dir}
	}
	if err != nil {
		return err
	}
	c := git.Call{Args: []string{"update-ref", "-d", "refs/heads/" + branch, at}}
	a, err := run(ctx, t.root.Top, c)
	switch {
	case err != nil || a.Exit == 0:
		return err
	case holds(a.Stderr, "but expected", "unable to resolve reference"):
		return fmt.Errorf("deleting %s at %s: %w (git says: %s)", branch, text.Hash(at), errMoved, a.Stderr)
	}
	return failure(t.root.Top, c, a)
}

// DeleteBranch deletes a remote's branch if it is at a commit. A failure is a *RemoteError.
func (r Remotes) DeleteBranch(ctx context.Context, remote, branch, at string) error {
	if err := errors.Join(remoteName(remote), branchName(branch)); err != nil {
		return err
	}
	if !git.IsHash(at) {
		return fmt.Errorf("deleting %s on %s: %q is not a full hash", branch, remote, at)
	}
	ref := "refs/heads/" + branch
	_, err := r.reach(ctx, "deleting "+branch+" on", remote, git.Call{Env: silent, Limit: slow, Max: maxSaid, Tail: true,
		Args: []string{"push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--force-with-lease=" + ref + ":" + at, "--", remote, ":" + ref}})
	return err
}
