// Package place gives a piece of work a place: the person's own work tree, or a separate one under
// .claude/worktrees, on a separate branch. A separate work tree starts from a commit, or from the
// person's uncommitted work on top of it, and is removed only if nothing in it would be lost.
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

// Path returns the path of a named work tree.
func Path(root, name string) string { return filepath.Join(root, filepath.FromSlash(Folder), name) }

// FreeBranch returns the name of a branch that will start at a commit: the title, with a number if
// a branch of that name has other commits, which must not be mixed with the new ones.
func FreeBranch(repo git.Repo, title, commit string) string {
	branch := title
	for n := 2; ; n++ {
		if tip, err := repo.Ref("refs/heads/" + branch); err != nil || tip == commit {
			return branch
		}
		branch = fmt.Sprintf("%s-%d", title, n)
	}
}

// Places creates work trees of one repository, one at a time across processes: one whose folder is
// missing looks like one that is just being created.
type Places struct {
	Root string // the project's folder in the main work tree
	Work gitwrite.Tree
	// Moved is called before a branch is deleted; may be nil.
	Moved func(ref, to string) error
	// Furnish prepares a new work tree beyond its commit; may be nil.
	Furnish Furnish
	// Base returns a commit or tree that the person has accepted; may be nil.
	Base func() string
}

// ErrUnfurnished means that a work tree lacks what it needs, which was reported and does not stop
// the work.
var ErrUnfurnished = errors.New("the work tree lacks files or dependencies that are not in its commit")

// Furnish brings ignored files and dependencies to a work tree with a commit checked out. base is
// what the person has accepted; "": nothing.
type Furnish func(ctx context.Context, tree gitwrite.Tree, commit, base string) error

// lock waits until no other process creates or removes a work tree.
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

// DropBranch deletes a branch, if it exists.
func (p *Places) DropBranch(ctx context.Context, branch string) error {
	if p.Moved != nil {
		if err := p.Moved("refs/heads/"+branch, ""); err != nil {
			return err
		}
	}
	_, err := p.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", branch}})
	return err
}

// Make creates or finds a separate work tree, with a branch checked out that starts at a commit.
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

// furnish furnishes a work tree once, even across kills.
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
		return nil // the next call tries again
	}
	if err != nil {
		return err
	}
	return durable.WriteNote(done, nil)
}

// removeHalf removes a work tree that git was creating when it was killed: it is locked, and may be
// incomplete. No one has worked there.
func (p *Places) removeHalf(ctx context.Context, path string) error {
	at, ok := git.Locate(p.Work.Top())
	if !ok {
		return git.ErrNotRepo
	}
	admin := filepath.Join(at.Common(), "worktrees")
	entries, _ := os.ReadDir(admin) // usually there are none
	for _, e := range entries {
		lock, err := durable.ReadPlain(filepath.Join(admin, e.Name(), "locked"))
		if err != nil || strings.TrimSpace(string(lock)) != "initializing" {
			continue
		}
		of, _ := durable.ReadPlain(filepath.Join(admin, e.Name(), "gitdir")) // without one it belongs to no work tree
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

// noLinks refuses a path on which a link of the project would lead elsewhere.
func noLinks(root, path string) error {
	for dir := path; len(dir) > len(root); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is not a folder, and links are not followed: move it away", dir)
		}
	}
	return nil
}

// Fill brings the files of a tree into a work tree with a commit checked out, including what a
// person has not committed.
func Fill(ctx context.Context, tree gitwrite.Tree, commit, filled string) error {
	changes, err := tree.Repo().Trees().Changes(commit, filled)
	if err != nil || len(changes) == 0 {
		return err
	}
	return tree.Restore(ctx, filled, git.Paths(changes), true)
}

// Exists reports whether a named work tree exists.
func (p *Places) Exists(name string) bool {
	_, err := os.Lstat(filepath.Join(Path(p.Root, name), ".git"))
	return err == nil
}

// Remove removes a work tree, and its branch if drop is set. One with uncommitted work is kept: the
// error says why.
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

// DescribeKept says why a work tree could not be removed.
func DescribeKept(root, name string, err error) string {
	why := err.Error()
	if held, is := errors.AsType[*gitwrite.HeldError](err); is && !strings.Contains(why, "\n") { // else it is not the only one
		why = "it " + held.Why() // its error would name the work tree again
	}
	return fmt.Sprintf("the work tree %s is kept: %s", Path(root, name), why)
}

// Discard removes a work tree and its branch, whatever is in it: its result is kept elsewhere. An
// empty branch removes none.
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

// Hide makes git ignore warp's own state in a work tree if the project does not: it would prevent
// the work tree's removal. The file also ignores itself.
func Hide(dir string) error {
	file := filepath.Join(dir, ".claude", ".gitignore")
	if err := durable.CreateFile(file, []byte("*\n"), 0o644); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
