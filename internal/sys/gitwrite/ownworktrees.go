package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// Prefixes of the names of our own worktrees, by purpose.
const (
	forRebase = "rebase-"
	forTests  = "test-"
)

// Apart manages our own worktrees, in the project's folder of the main work tree: some agents
// refuse to write in git's folder.
type Apart struct {
	root   git.Root
	common string
}

// Apart returns the manager of our own worktrees.
func (t Tree) Apart() Apart { return Apart{t.root, t.common} }

func (a Apart) folder() string {
	top := a.root.Top
	if filepath.Base(a.common) == ".git" {
		top = filepath.Dir(a.common)
	}
	return filepath.Join(top, filepath.FromSlash(a.root.Prefix), ".claude", "worktrees")
}

// List lists the existing worktrees that Rebase and Checkout created.
func (a Apart) List() (dirs []string, err error) {
	list, err := os.ReadDir(a.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range list {
		if dir := filepath.Join(a.folder(), d.Name()); a.ours(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

func (a Apart) ours(dir string) bool {
	name := filepath.Base(dir)
	return filepath.Dir(dir) == a.folder() && (strings.HasPrefix(name, forRebase) || strings.HasPrefix(name, forTests))
}

// Checkout creates a worktree with exactly a commit's files, replacing one of the same name.
// Abandon removes it, given its Top. The Tree is at the same folder of the repository as this one.
func (a Apart) Checkout(ctx context.Context, name, commit string) (Tree, error) {
	if !git.IsHash(commit) {
		return Tree{}, fmt.Errorf("checking %q out: this must be a full hash", commit)
	}
	dir := filepath.Join(a.folder(), forTests+name)
	if err := a.detached(ctx, dir, commit); err != nil {
		return Tree{}, err
	}
	return beside(a.root.Prefix, dir)
}

// detached creates a worktree at a commit, replacing what a crash left.
func (a Apart) detached(ctx context.Context, dir, commit string) error {
	if err := a.Abandon(ctx, dir); err != nil {
		return err
	}
	return register(ctx, a.root.Top, func() ([]string, error) { return []string{"--detach", "--", dir, commit}, nil })
}

// Abandon removes one of our own worktrees with its content. It is idempotent.
func (a Apart) Abandon(ctx context.Context, dir string) error {
	if !a.ours(dir) {
		return fmt.Errorf("%s is not a worktree that was made for a rebase or a test in %s", dir, a.root.Top)
	}
	if _, err := os.Lstat(dir); err == nil {
		// This fails if it is not a worktree yet, or no longer.
		_, _ = run(ctx, a.root.Top, git.Call{Args: []string{"worktree", "remove", "--force", "--force", "--", dir}, Limit: slow})
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing %s: %w", dir, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(a.common, "worktrees", filepath.Base(dir))); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return prune(ctx, a.root.Top)
}
