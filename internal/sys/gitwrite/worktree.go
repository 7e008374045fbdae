package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/sys/git"
)

// A Worktree is one of a repository's work trees, the main one first.
type Worktree struct {
	Path    string
	Branch  string // "" if detached
	Head    string // the commit
	Locked  bool
	Missing bool // its folder is gone
}

// Worktrees lists the work trees of the repository.
func (t Tree) Worktrees(ctx context.Context) ([]Worktree, error) {
	if w, ok := t.onlyWorktree(); ok {
		return []Worktree{w}, nil
	}
	c := git.Call{Args: []string{"worktree", "list", "--porcelain", "-z"}}
	a, err := run(ctx, t.root.Top, c)
	end := "\x00"
	if err == nil && a.Exit == 129 { // before 2.36
		c.Args, end = c.Args[:3], "\n"
		a, err = run(ctx, t.root.Top, c)
	}
	if err == nil && a.Exit != 0 {
		err = failure(t.root.Top, c, a)
	}
	if err != nil {
		return nil, err
	}
	return parseWorktrees(string(a.Stdout), end), nil
}

// onlyWorktree returns the main work tree if there is no other: this takes no git process, and
// every commit asks for it.
func (t Tree) onlyWorktree() (w Worktree, ok bool) {
	if filepath.FromSlash(t.root.GitDir) != filepath.Join(t.root.Top, ".git") || t.root.Common() != t.root.GitDir {
		return w, false
	}
	if linked, err := os.ReadDir(filepath.Join(t.root.GitDir, "worktrees")); len(linked) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return w, false
	}
	repo := t.root.Repo(t.root.Top)
	head, err := repo.Head()
	if err != nil || head == "" {
		return w, false
	}
	branch, err := repo.Branch()
	return Worktree{Path: filepath.FromSlash(t.root.Top), Branch: branch, Head: head}, err == nil
}

// parseWorktrees parses records of lines, each ended by an empty line.
func parseWorktrees(out, end string) []Worktree {
	var list []Worktree
	for record := range strings.SplitSeq(out, end+end) {
		var w Worktree
		bare := false
		for line := range strings.SplitSeq(record, end) {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				w.Path = filepath.FromSlash(value)
			case "HEAD":
				w.Head = value
			case "branch":
				w.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "locked":
				w.Locked = true
			case "prunable":
				w.Missing = true
			case "bare":
				bare = true
			}
		}
		if w.Path == "" || bare {
			continue
		}
		if _, err := os.Lstat(w.Path); err != nil {
			w.Missing = true
		}
		list = append(list, w)
	}
	return list
}

// FindUser returns the work tree that has a branch checked out, "" if none has. The error is
// ErrBusy while a merge or the like is in progress there, or while a work tree rebases the branch:
// HEAD is detached during a rebase, and its end resets the branch without the commits added in
// between.
func (t Tree) FindUser(ctx context.Context, branch string) (dir string, err error) {
	trees, err := t.Worktrees(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range trees {
		p, ok := git.Locate(w.Path)
		if !ok || w.Missing || w.Branch != branch && !isRebasing(p.GitDir(), branch) {
			continue
		}
		return w.Path, busy(p.GitDir(), w.Path)
	}
	return "", nil
}

// isRebasing reports whether a work tree is rebasing a branch.
func isRebasing(gitDir, branch string) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if text, err := os.ReadFile(filepath.Join(gitDir, name, "head-name")); err == nil && strings.TrimSpace(string(text)) == "refs/heads/"+branch {
			return true
		}
	}
	return false
}

// AddWorktree adds a worktree with a branch checked out, and creates the branch at a commit if it
// is missing. If the worktree exists, it returns that. The Tree is at the same folder of the
// repository as this one.
func (t Tree) AddWorktree(ctx context.Context, path, branch, from string) (tree Tree, err error) {
	if err := branchName(branch); err != nil {
		return Tree{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return Tree{}, err
	}
	for n := 1; ; n++ {
		tree, err = t.addWorktree(ctx, path, branch, from)
		var failed *git.Failure
		if n == registerTries || !errors.As(err, &failed) || !wasAdded(failed.Stderr) {
			return tree, err
		}
		select {
		case <-ctx.Done():
			return tree, err
		case <-time.After(addedPause):
		}
	}
}

func (t Tree) addWorktree(ctx context.Context, path, branch, from string) (Tree, error) {
	trees, err := t.Worktrees(ctx)
	if err != nil {
		return Tree{}, err
	}
	for _, w := range trees {
		switch {
		case w.Branch != branch || w.Missing:
		case git.SameFolder(w.Path, path):
			return beside(t.root.Prefix, path)
		default:
			return Tree{}, fmt.Errorf("%s is checked out in %s: check another branch out there (git -C %[2]s switch BRANCH)", branch, w.Path)
		}
	}
	err = register(ctx, t.root.Top, func() ([]string, error) {
		p, _ := git.Locate(t.root.Top)
		tip, err := p.Tip(branch)
		if tip != "" || err != nil {
			return []string{"--", path, branch}, err
		}
		return []string{"--no-track", "-b", branch, "--", path, from}, revision(from)
	})
	if err != nil {
		return Tree{}, err
	}
	return beside(t.root.Prefix, path)
}

// addedPause is the time given to another git that adds the same work tree.
const addedPause = 100 * time.Millisecond

// wasAdded reports whether another git is adding the same branch or work tree: the git of a killed
// engine keeps running.
func wasAdded(said string) bool {
	return strings.Contains(said, "already exists") || strings.Contains(said, "is already checked out at") || strings.Contains(said, "is already used by worktree at")
}

// registerTries is how often to register a work tree that something else removes.
const registerTries = 5

// register runs git worktree add. Git registers a work tree in several steps and takes a
// half-registered one for a lost one: a prune at the same moment, by another engine or git gc,
// removes it. register then adds it again.
func register(ctx context.Context, top string, args func() ([]string, error)) error {
	for n := 1; ; n++ {
		more, err := args()
		if err != nil {
			return err
		}
		_, err = must(ctx, top, git.Call{Args: append([]string{"worktree", "add", "-q"}, more...), Limit: slow})
		var failed *git.Failure
		if n == registerTries || !errors.As(err, &failed) || !wasPruned(failed.Stderr) {
			return err
		}
	}
}

// wasPruned reports whether git misses its record of the work tree that it is adding.
func wasPruned(said string) bool {
	return strings.Contains(said, "/worktrees/") && (strings.Contains(said, "No such file or directory") || strings.Contains(said, "not a git repository: "))
}

// beside returns the Tree at another top, in the same folder if that exists.
func beside(prefix, top string) (Tree, error) {
	dir := filepath.Join(top, filepath.FromSlash(prefix))
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		dir = top
	}
	return Open(dir)
}

// RemoveWorktree removes a worktree and keeps its branch. The error is a *HeldError if it has
// uncommitted or untracked files, or commits that no other branch, remote or tag has; unmerged
// allows such commits if the branch has them. Ignored files are deleted.
func (t Tree) RemoveWorktree(ctx context.Context, path string, unmerged bool) error {
	trees, err := t.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.Path != path && !git.SameFolder(w.Path, path) {
			continue
		}
		if !w.Missing {
			if err := holdsWork(ctx, w, unmerged); err != nil {
				return err
			}
		}
		// Without --force, git checks too.
		_, err := must(ctx, t.root.Top, git.Call{Args: []string{"worktree", "remove", "--", w.Path}, Limit: slow})
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("removing %s: it is not a worktree of %s", path, t.root.Top)
	}
	return nil
}

func holdsWork(ctx context.Context, w Worktree, unmerged bool) error {
	out, err := must(ctx, w.Path, git.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"}})
	if err != nil {
		return err
	}
	held := &HeldError{Path: w.Path}
	for _, e := range git.Split(out) {
		held.Uncommitted = append(held.Uncommitted, e[min(3, len(e)):])
	}
	if w.Head != "" && strings.Trim(w.Head, "0") != "" && (w.Branch == "" || !unmerged) {
		args := []string{"rev-list", "--count", w.Head, "--not"}
		if w.Branch != "" {
			args = append(args, "--exclude="+w.Branch)
		}
		n, err := line(ctx, w.Path, nil, append(args, "--branches", "--remotes", "--tags", "--")...)
		if err != nil {
			return err
		}
		if held.Unmerged, err = strconv.Atoi(n); err != nil {
			return fmt.Errorf("counting the commits of %s: %w", w.Path, err)
		}
	}
	if len(held.Uncommitted) > 0 || held.Unmerged > 0 {
		return held
	}
	return nil
}

// Prune removes git's records of worktrees whose folders are gone.
func (t Tree) Prune(ctx context.Context) error { return prune(ctx, t.root.Top) }

func prune(ctx context.Context, top string) error {
	_, err := must(ctx, top, git.Call{Args: []string{"worktree", "prune"}})
	return err
}
