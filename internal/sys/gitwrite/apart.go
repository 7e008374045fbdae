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

// Apart makes worktrees of our own, under the project in the main work tree: some agents
// refuse to write in git's own folder.
type Apart struct {
	root   git.Root
	common string
}

// Apart are the worktrees beside this one.
func (t Tree) Apart() Apart { return Apart{t.root, t.common} }

func (a Apart) folder() string {
	top := a.root.Top
	if filepath.Base(a.common) == ".git" {
		top = filepath.Dir(a.common)
	}
	return filepath.Join(top, filepath.FromSlash(a.root.Prefix), ".claude", "worktrees")
}

// List lists the worktrees that Rebase and Checkout have made and that are
// still there.
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

// Checkout makes a worktree that has what a commit has and nothing else, until
// Abandon removes it. One of the same name is replaced. The Tree is at the same
// folder of the repository as this one; what Abandon takes is its Top.
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

// detached makes a worktree at a commit, in the place of what a crash has left.
func (a Apart) detached(ctx context.Context, dir, commit string) error {
	if err := a.Abandon(ctx, dir); err != nil {
		return err
	}
	return register(ctx, a.root.Top, func() ([]string, error) { return []string{"--detach", "--", dir, commit}, nil })
}

// Abandon removes a worktree of our own with all that is in it. Doing it again
// does nothing.
func (a Apart) Abandon(ctx context.Context, dir string) error {
	if !a.ours(dir) {
		return fmt.Errorf("%s is not a worktree that was made for a rebase or a test in %s", dir, a.root.Top)
	}
	if _, err := os.Lstat(dir); err == nil {
		// It fails on what is not a worktree yet or any more.
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
