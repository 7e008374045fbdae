package gitwrite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// careful is for commands that change files. Git would overwrite ignored files, but a user's .env
// must stay.
var careful = []string{"-q", "--no-overwrite-ignore"}

// Branch checks out a branch, and creates it at from if it is missing; "" means HEAD. Local changes
// are kept; if they are in the way, the error is a *BlockedError and nothing changes.
func (t Tree) Branch(ctx context.Context, name, from string) error {
	if err := branchName(name); err != nil {
		return err
	}
	at, err := readHead(t.root)
	if err != nil || at.branch == name {
		return err
	}
	if err := busy(t.root.GitDir, t.root.Top); err != nil {
		return err
	}
	p, _ := git.Locate(t.root.Top)
	tip, err := p.Tip(name)
	if err != nil {
		return err
	}
	args := append([]string{"checkout", "--no-guess"}, careful...)
	switch {
	case tip != "":
		args = append(args, name, "--")
	case from == "" || at.commit == "":
		args = append(args, "--no-track", "-b", name)
	default:
		if err := revision(from); err != nil {
			return err
		}
		args = append(args, "--no-track", "-b", name, from, "--")
	}
	return change(ctx, t.root.Top, args)
}

// Follow moves the checked-out branch and its files to another commit. Local changes are kept; if
// they are in the way, the error is a *BlockedError and nothing changes.
func (t Tree) Follow(ctx context.Context, branch, to string) error {
	if !git.IsHash(to) {
		return fmt.Errorf("moving the branch %s: %q is not a full hash", branch, to)
	}
	at, err := readHead(t.root)
	switch {
	case err != nil:
		return err
	case branch == "" || at.branch != branch:
		return fmt.Errorf("moving the branch %q: it is not checked out in %s, but %q is", branch, t.root.Top, at.branch)
	case at.commit == to:
		return nil
	}
	if err := busy(t.root.GitDir, t.root.Top); err != nil {
		return err
	}
	return change(ctx, t.root.Top, append(append([]string{"checkout"}, careful...), "--no-track", "-B", branch, to, "--"))
}

// FastForward moves a branch to a descendant commit. If it is checked out, in this worktree or
// another, its files follow. The error is a *BlockedError if local changes are in the way, and
// ErrBusy while a merge or rebase is in progress there.
func (t Tree) FastForward(ctx context.Context, target, to string) error {
	if err := branchName(target); err != nil {
		return err
	}
	if !git.IsHash(to) {
		return fmt.Errorf("moving the branch %s: %q is not a full hash", target, to)
	}
	p, _ := git.Locate(t.root.Top)
	was, err := p.Tip(target)
	switch {
	case err != nil:
		return err
	case was == "":
		return fmt.Errorf("moving the branch %s in %s: %w", target, t.root.Top, git.ErrNoRef)
	case was == to:
		return nil
	}
	if ok, err := t.Repo().Descends(to, was); err != nil {
		return err
	} else if !ok {
		return &NotFastForward{target, was, to}
	}
	dir, err := t.FindUser(ctx, target)
	if err != nil {
		return err
	}
	if dir != "" {
		return forward(ctx, dir, target, was, to)
	}
	return point(ctx, t.root.Top, "refs/heads/"+target, to, was, "warp: fast-forward")
}

func forward(ctx context.Context, dir, target, was, to string) error {
	err := change(ctx, dir, append(append([]string{"merge"}, careful...), "--ff-only", "--no-squash", "--no-autostash", "--no-stat", to))
	if f, ok := err.(*git.Failure); ok && strings.Contains(f.Stderr, "Not possible to fast-forward") {
		return &NotFastForward{target, was, to} // it has moved since
	}
	return err
}

// change runs a command that changes files.
func change(ctx context.Context, dir string, args []string) error {
	c := git.Call{Args: args, Limit: slow}
	a, err := run(ctx, dir, c)
	if err != nil || a.Exit == 0 {
		return err
	}
	if paths := blocking(a.Stderr); len(paths) > 0 {
		return &BlockedError{dir, paths}
	}
	return failure(dir, c, a)
}

// blocking lists the files that git refuses to overwrite: each comes after a tab, below a line that
// says so.
func blocking(said string) []string {
	var paths []string
	listed := false
	for line := range strings.Lines(said) {
		line = strings.TrimSuffix(line, "\n")
		if p, ok := strings.CutPrefix(line, "\t"); ok && listed {
			paths = append(paths, p)
			continue
		}
		listed = strings.HasPrefix(line, "error: ") && strings.HasSuffix(line, ":")
	}
	return paths
}

// Overlapping lists the uncommitted changes that would block a fast-forward of a checked-out
// branch. The error is ErrBusy while an operation is in progress there that the move would disturb.
func (t Tree) Overlapping(ctx context.Context, branch, to string) ([]string, error) {
	p, _ := git.Locate(t.root.Top)
	was, err := p.Tip(branch)
	if err != nil || was == "" || was == to {
		return nil, err
	}
	dir, err := t.FindUser(ctx, branch)
	if err != nil || dir == "" {
		return nil, err
	}
	changes, err := t.Repo().Trees().Changes(was, to)
	if err != nil {
		return nil, err
	}
	out, err := must(ctx, dir, git.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored"}})
	var list []string
	for _, line := range git.Split(out) {
		path := line[min(3, len(line)):]
		if slices.ContainsFunc(changes, func(ch git.Change) bool { return meet(ch.Path, path) || ch.OldPath == path }) {
			list = append(list, path)
		}
	}
	return list, err
}

// meet reports whether two paths cannot both be files.
func meet(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")
}
