package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// kept is the prefix of references that keep objects from being collected.
const kept = "refs/warp/"

// wrapping is the message of a commit that only keeps its tree.
const wrapping = "warp keeps this tree"

// A Ref is a kept object.
type Ref struct {
	Name   string // as passed to Keep
	Object string // as passed to Keep: a tree or a commit
}

// Move moves a branch from one commit to another, or creates it if was is "". The error is errMoved
// if the branch was elsewhere. It leaves the index and work tree alone, even if the branch is
// checked out.
func (t Tree) Move(ctx context.Context, branch, to, was string) error {
	if err := branchName(branch); err != nil {
		return err
	}
	if !git.IsHash(to) || was != "" && !git.IsHash(was) {
		return fmt.Errorf("moving the branch %s from %q to %q: these must be full hashes", branch, was, to)
	}
	return point(ctx, t.root.Top, "refs/heads/"+branch, to, was, "warp: moved")
}

// point sets a reference if it is still at was.
func point(ctx context.Context, top, ref, to, was, why string) error {
	c := git.Call{Args: []string{"update-ref", "-m", why, ref, to, was}}
	a, err := run(ctx, top, c)
	if err != nil || a.Exit == 0 {
		return err
	}
	if holds(a.Stderr, "but expected", "already exists", "unable to resolve reference") {
		return fmt.Errorf("moving %s to %s: %w (git says: %s)", ref, text.Hash(to), errMoved, a.Stderr)
	}
	return failure(top, c, a)
}

func branchName(name string) error {
	if !git.IsRef(name) || strings.HasPrefix(name, "/") || name == "HEAD" {
		return fmt.Errorf("the branch %q: %w; git does not allow such a name", name, git.ErrNoRef)
	}
	return nil
}

// Keep keeps a tree or a commit, and all it holds, from being collected. It replaces what the same
// name kept before.
func (t Tree) Keep(ctx context.Context, name, object string) error {
	if !git.IsRef(name) || !git.IsHash(object) {
		return fmt.Errorf("keeping %q as %q: git does not allow that", object, name)
	}
	kind, err := t.root.Kind(ctx, object)
	if err != nil {
		return err
	}
	if kind == "tree" {
		if object, err = t.root.Put(ctx, "commit", git.CommitText(object, nil, "0", wrapping)); err != nil {
			return err
		}
	}
	_, err = must(ctx, t.root.Top, git.Call{Args: []string{"update-ref", kept + name, object}})
	return err
}

// Kept lists what is kept under a prefix that ends in a slash, or everything for "".
func (t Tree) Kept(ctx context.Context, prefix string) ([]Ref, error) {
	out, err := must(ctx, t.root.Top, git.Call{Args: []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(tree)%00%(subject)", kept + prefix}})
	if err != nil {
		return nil, err
	}
	var list []Ref
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(f) != 4 {
			return nil, fmt.Errorf("listing %s in %s: %w", kept+prefix, t.root.Top, errTorn)
		}
		r := Ref{strings.TrimPrefix(f[0], kept), f[1]}
		if f[3] == wrapping {
			r.Object = f[2]
		}
		list = append(list, r)
	}
	return list, nil
}

// Drop stops keeping what is kept under a name, if anything.
func (t Tree) Drop(ctx context.Context, name string) error {
	if !git.IsRef(name) {
		return fmt.Errorf("releasing %q: git does not allow such a name", name)
	}
	_, err := must(ctx, t.root.Top, git.Call{Args: []string{"update-ref", "-d", kept + name}})
	return err
}

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
	return r.push(ctx, "deleting "+branch+" on", remote, git.Call{Args: []string{"--force-with-lease=" + ref + ":" + at}, Limit: slow}, ":"+ref)
}
