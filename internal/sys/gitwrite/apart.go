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

// What worktrees of our own are for: the beginning of their names.
const (
	forRebase = "rebase-"
	forTests  = "test-"
)

// apart is where such worktrees are: under the project in the main work tree.
// Some agents refuse to write in git's own folder.
func (t Tree) apart() string {
	top := t.root.Top
	if filepath.Base(t.common) == ".git" {
		top = filepath.Dir(t.common)
	}
	return filepath.Join(top, filepath.FromSlash(t.root.Prefix), ".claude", "worktrees")
}

// Apart lists the worktrees that Rebase and Checkout have made and that are
// still there.
func (t Tree) Apart() (dirs []string, err error) {
	list, err := os.ReadDir(t.apart())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range list {
		if dir := filepath.Join(t.apart(), d.Name()); t.ours(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

func (t Tree) ours(dir string) bool {
	name := filepath.Base(dir)
	return filepath.Dir(dir) == t.apart() && (strings.HasPrefix(name, forRebase) || strings.HasPrefix(name, forTests))
}

// Checkout makes a worktree that has what a commit has and nothing else, until
// Abandon removes it. One of the same name is replaced. The Tree is at the same
// folder of the repository as this one; what Abandon takes is its Top.
func (t Tree) Checkout(ctx context.Context, name, commit string) (Tree, error) {
	if !git.IsHash(commit) {
		return Tree{}, fmt.Errorf("checking %q out: this must be a full hash", commit)
	}
	dir := filepath.Join(t.apart(), forTests+name)
	if err := t.detached(ctx, dir, commit); err != nil {
		return Tree{}, err
	}
	return t.beside(dir)
}

// detached makes a worktree at a commit, in the place of what a crash has left.
func (t Tree) detached(ctx context.Context, dir, commit string) error {
	if err := t.Abandon(ctx, dir); err != nil {
		return err
	}
	return t.register(ctx, func() ([]string, error) { return []string{"--detach", "--", dir, commit}, nil })
}

// Abandon removes a worktree of our own with all that is in it. Doing it again
// does nothing.
func (t Tree) Abandon(ctx context.Context, dir string) error {
	if !t.ours(dir) {
		return fmt.Errorf("%s is not a worktree that was made for a rebase or a test in %s", dir, t.root.Top)
	}
	if _, err := os.Lstat(dir); err == nil {
		// It fails on what is not a worktree yet or any more.
		_, _ = t.run(ctx, git.Call{Args: []string{"worktree", "remove", "--force", "--force", "--", dir}, Limit: slow})
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("removing %s: %w", dir, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(t.common, "worktrees", filepath.Base(dir))); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return t.Prune(ctx)
}
