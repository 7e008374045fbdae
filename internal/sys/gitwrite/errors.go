package gitwrite

import (
	"errors"
	"fmt"

	"warp/internal/core/text"
)

var (
	// ErrNothing means that there is nothing to commit.
	ErrNothing = errors.New("there are no changes to commit")
	// errMoved means that a reference is not where the caller last saw it.
	errMoved = errors.New("it has moved since")
	// ErrBusy means that an operation is in progress in the work tree.
	ErrBusy = errors.New("an operation is in progress")
	// errIdentity means that git has no identity to commit with.
	errIdentity = errors.New("git has no identity for commits; run «git config --global user.name NAME» and «git config --global user.email ADDRESS»")
	// errSigning means that the user wants signed commits and signing failed.
	errSigning = errors.New("the commit could not be signed; check that «git commit -S» works without asking, or set commit.gpgSign to false")
)

// MixedError means that a chunk's changes cannot be separated from the user's uncommitted ones in
// these paths.
type MixedError struct{ Paths []string }

func (e *MixedError) Error() string {
	return fmt.Sprintf("your uncommitted changes are in the same lines as those to commit: %s; commit or undo yours", text.Quote(e.Paths, 10))
}

// BlockedError means that local changes or untracked files would be overwritten.
type BlockedError struct {
	Dir   string // of the work tree
	Paths []string
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("these files in %s have changes that would be overwritten: %s; commit them or move them away", e.Dir, text.Quote(e.Paths, 10))
}

// NotFastForward means that a branch has commits that its new tip would lack.
type NotFastForward struct{ Branch, At, To string }

func (e *NotFastForward) Error() string {
	return fmt.Sprintf("the branch %s, at %s, has commits that %s lacks; rebase onto it first", e.Branch, text.Hash(e.At), text.Hash(e.To))
}

// UnresolvedError means that a conflict is not resolved yet.
type UnresolvedError struct {
	Dir   string
	Paths []string
}

func (e *UnresolvedError) Error() string {
	return fmt.Sprintf("these files in %s are still in conflict: %s; edit them, or «git add» those that are correct", e.Dir, text.Quote(e.Paths, 10))
}

// HeldError means that a worktree holds work that would be lost or forgotten.
type HeldError struct {
	Path        string
	Uncommitted []string
	Unmerged    int // commits that no other branch has
}

func (e *HeldError) Error() string { return "the worktree " + e.Path + " " + e.Why() }

// Why returns what it has, for a message that names the worktree already.
func (e *HeldError) Why() string {
	if len(e.Uncommitted) > 0 {
		return fmt.Sprintf("has uncommitted changes: %s; commit or undo them", text.Quote(e.Uncommitted, 10))
	}
	return fmt.Sprintf("has %s not merged anywhere; merge or push first", text.Count(e.Unmerged, "commit"))
}
