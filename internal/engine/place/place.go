// Package place gives a piece of work somewhere to happen: the person's own work
// tree, or a separate one under .claude/worktrees, on a separate branch. A separate
// work tree begins with a commit, or with the person's uncommitted work on
// top of it, and is removed only when nothing in it would be lost.
package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// Folder is where separate work trees are, under the project.
const Folder = ".claude/worktrees"

// Path is the work tree of a name.
func Path(root, name string) string { return filepath.Join(root, filepath.FromSlash(Folder), name) }

// FreeBranch names a branch that is to begin at a commit: as the title says, with a
// number where a branch of that name has other commits, which are not to be merged
// with the new ones.
func FreeBranch(repo git.Repo, title, commit string) string {
	branch := title
	for n := 2; ; n++ {
		if tip, err := repo.Ref("refs/heads/" + branch); err != nil || tip == commit {
			return branch
		}
		branch = fmt.Sprintf("%s-%d", title, n)
	}
}

// Places makes work trees of one repository, one after the other, whichever processes
// do: one whose folder is gone looks like one that is just being made.
type Places struct {
	Root string // the project's folder in the main work tree
	Work gitwrite.Tree
	// Moved is called before a branch is deleted; nil: not called.
	Moved func(ref, to string) error
	// Furnish brings what a new work tree needs besides its commit; nil: nothing.
	Furnish Furnish
	// Base is a commit or tree that the person has accepted; nil: there is none.
	Base func() string
}

// ErrUnfurnished says that a work tree has not got what it needs, which was
// reported and does not stop the work.
var ErrUnfurnished = errors.New("the work tree lacks files or dependencies that are not in its commit")

// Furnish brings ignored files and dependencies to a work tree that has a commit
// checked out. Base is what the person has accepted; "": nothing.
type Furnish func(ctx context.Context, tree gitwrite.Tree, commit, base string) error

// lock waits until no other process makes or removes a work tree.
func (p *Places) lock() (unlock func(), err error) {
	at, ok := git.Locate(p.Work.Top())
	if !ok {
		return nil, git.ErrNotRepo
	}
	dir := filepath.Join(at.Common(), "warp")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	held, err := (durable.OS{}).Lock(filepath.Join(dir, "places.lock"))
	if err != nil {
		return nil, fmt.Errorf("waiting for the work trees of the repository: %w", err)
	}
	return func() { _ = held.Close() }, nil
}

// DropBranch deletes a branch; one that is not there need not go.
func (p *Places) DropBranch(ctx context.Context, branch string) error {
	if p.Moved != nil {
		if err := p.Moved("refs/heads/"+branch, ""); err != nil {
			return err
		}
	}
	_, err := p.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", branch}})
	return err
}

// Make makes a separate work tree, or finds the one there is, with a branch
// checked out that begins at a commit.
func (p *Places) Make(ctx context.Context, name, branch, from string) (gitwrite.Tree, error) {
	unlock, err := p.lock()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	defer unlock()
	if err := p.removeHalf(ctx, Path(p.Root, name)); err != nil {
		return gitwrite.Tree{}, err
	}
	if err := p.Work.Prune(ctx); err != nil {
		return gitwrite.Tree{}, err
	}
	if err := noLinks(p.Root, Path(p.Root, name)); err != nil {
		return gitwrite.Tree{}, fmt.Errorf("making a work tree for %s: %w", name, err)
	}
	tree, err := p.Work.AddWorktree(ctx, Path(p.Root, name), branch, from)
	if err != nil {
		return tree, fmt.Errorf("making a work tree for %s: %w", name, err)
	}
	if err := Hide(tree.Dir); err != nil {
		return tree, err
	}
	return tree, p.furnish(ctx, tree)
}

// furnish furnishes a work tree once, whatever is killed.
func (p *Places) furnish(ctx context.Context, tree gitwrite.Tree) error {
	at, ok := git.LocateIn(tree.Dir, tree.Top())
	if !ok || p.Furnish == nil {
		return nil
	}
	done := filepath.Join(at.GitDir(), "warp-furnished")
	if _, err := os.Lstat(done); err == nil {
		return nil
	}
	commit, err := tree.Repo().Head()
	if err != nil {
		return err
	}
	base := ""
	if p.Base != nil {
		base = p.Base()
	}
	err = p.Furnish(ctx, tree, commit, base)
	if errors.Is(err, ErrUnfurnished) {
		return nil // the next who makes it tries again
	}
	if err != nil {
		return err
	}
	return durable.WriteNote(done, nil)
}

// removeHalf removes a work tree that git was making when it was killed: it is locked, and
// may have some of its files only. No one has worked there.
func (p *Places) removeHalf(ctx context.Context, path string) error {
	at, ok := git.Locate(p.Work.Top())
	if !ok {
		return git.ErrNotRepo
	}
	admin := filepath.Join(at.Common(), "worktrees")
	entries, _ := os.ReadDir(admin) // mostly there are none
	for _, e := range entries {
		lock, err := durable.ReadPlain(filepath.Join(admin, e.Name(), "locked"))
		if err != nil || strings.TrimSpace(string(lock)) != "initializing" {
			continue
		}
		of, _ := durable.ReadPlain(filepath.Join(admin, e.Name(), "gitdir")) // without one it is of no work tree
		if filepath.Clean(strings.TrimSpace(string(of))) != filepath.Join(path, ".git") {
			continue
		}
		if err := durable.RemoveFolder(path); err != nil {
			return fmt.Errorf("removing an incomplete work tree: %w", err)
		}
		if _, err := p.Work.Repo().Run(ctx, git.Call{Args: []string{"worktree", "unlock", "--", path}}); err != nil {
			return err
		}
	}
	return nil
}

// noLinks refuses a folder that links of the project would lead elsewhere.
func noLinks(root, path string) error {
	for dir := path; len(dir) > len(root); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder, and links are not followed: move it away", dir)
		}
	}
	return nil
}

// Fill brings the files of a tree into a work tree that has a commit checked out:
// what a person has not committed is there, too.
func Fill(ctx context.Context, tree gitwrite.Tree, commit, filled string) error {
	changes, err := tree.Repo().Trees().Changes(commit, filled)
	if err != nil || len(changes) == 0 {
		return err
	}
	return tree.Restore(ctx, filled, git.Paths(changes), true)
}

// Exists reports whether there is a work tree of a name.
func (p *Places) Exists(name string) bool {
	_, err := os.Lstat(filepath.Join(Path(p.Root, name), ".git"))
	return err == nil
}

// Remove takes a work tree away, and its branch with it where drop says so. One
// that holds uncommitted work is kept: the error says why.
func (p *Places) Remove(ctx context.Context, name, branch string, drop bool) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := p.Work.RemoveWorktree(ctx, Path(p.Root, name), true); err != nil || !drop {
		return err
	}
	return p.DropBranch(ctx, branch)
}

// Discard takes a work tree and its branch away, whatever is in it: what it came to
// is kept elsewhere. Without a branch, that stays.
func (p *Places) Discard(ctx context.Context, name, branch string) error {
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	for _, args := range [][]string{
		{"worktree", "remove", "--force", "--force", "--", Path(p.Root, name)},
		{"worktree", "prune"},
	} {
		if _, err := p.Work.Repo().Run(ctx, git.Call{Args: args}); err != nil { // what is not there need not be removed
			return err
		}
	}
	if branch != "" {
		if err := p.DropBranch(ctx, branch); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(Path(p.Root, name)); err == nil {
		return fmt.Errorf("the work tree %s could not be removed", Path(p.Root, name))
	}
	return nil
}

// Hide keeps git from seeing warp's own state in a work tree, where the project
// does not: it would keep the work tree from being removed. The file hides itself,
// too.
func Hide(dir string) error {
	file := filepath.Join(dir, ".claude", ".gitignore")
	if err := durable.CreateFile(file, []byte("*\n"), 0o644); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
