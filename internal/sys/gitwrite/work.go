// Package gitwrite changes a repository that others work in too: it creates and moves
// branches, makes commits, and talks to remotes.
//
// It guarantees:
//
//   - It never overwrites or loses an uncommitted change of the user's. In the work tree, a
//     command that would have to is refused with a *BlockedError; in the index, what is
//     staged stays staged. Only Restore overwrites files, and only those that it is given.
//   - It moves a reference only if it is still where it was; one that another process has
//     moved is left alone (errMoved).
//   - It uses no shell and never prompts at a terminal. Every command has a time limit and
//     ends with its context. The repository's hooks do not run, unless a Push asks for it.
//   - No error contains the credentials of a remote's URL.
//
// What to commit, and when, is up to others. Paths are git's own, as in sys/git.
package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/sys/git"
	"warp/internal/sys/gitobject"
)

// slow is the time limit for commands that check out files, run hooks, or need the network.
const slow = 10 * time.Minute

// Tree is a work tree. Dir may be any folder in it, such as that of a project that is only a part
// of the repository.
type Tree struct {
	Dir    string
	root   git.Root
	common string
}

// Open finds the work tree of a folder.
func Open(dir string) (Tree, error) {
	r, root, err := git.OpenRoot(dir)
	if err != nil {
		return Tree{}, err
	}
	return At(r.Dir, root), nil
}

// At returns the work tree of a folder whose repository was already located.
func At(dir string, root git.Root) Tree {
	root.Use(gitobject.Files{})
	return Tree{Dir: dir, root: root, common: root.Common()}
}

// Repo returns the repository of this work tree, for queries.
func (t Tree) Repo() git.Repo { return t.root.Repo(t.Dir) }

// Root returns the location of the work tree and its repository.
func (t Tree) Root() git.Root { return t.root }

// Top returns the top folder of the work tree.
func (t Tree) Top() string { return t.root.Top }

func run(ctx context.Context, dir string, c git.Call) (git.Answer, error) {
	c.Pass = passes
	c.Args = slices.Concat([]string{"-c", "submodule.recurse=false"}, c.Args)
	if !c.Hooks {
		c.Env = append([]string{"GIT_LITERAL_PATHSPECS=1", "GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:"}, c.Env...)
	}
	a, err := git.Repo{Dir: dir}.Run(ctx, c) // waits for another git's lock
	a.Stderr = scrub(a.Stderr)
	return a, err
}

// passes reports whether git gets a variable: those that set the user's identity and the way to
// remotes. Others could select another repository.
func passes(name string) bool {
	switch name {
	case "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_ASKPASS":
		return true
	}
	return slices.ContainsFunc([]string{"GIT_SSH", "GIT_SSL_", "GIT_HTTP_", "GIT_PROXY_", "GIT_LFS_"}, func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

// must runs git and returns an error for any exit code but 0.
func must(ctx context.Context, dir string, c git.Call) ([]byte, error) {
	a, err := run(ctx, dir, c)
	if err == nil && a.Exit != 0 {
		err = failure(dir, c, a)
	}
	return a.Stdout, err
}

func failure(dir string, c git.Call, a git.Answer) error {
	return &git.Failure{Args: c.Args, Dir: dir, Exit: a.Exit, Stderr: a.Stderr}
}

// line runs a command that prints one line.
func line(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	out, err := must(ctx, dir, git.Call{Args: args, Env: env})
	return strings.TrimSuffix(string(out), "\n"), err
}

// A head is what is checked out.
type head struct {
	commit string // "" if the branch is unborn
	branch string // "" if HEAD is detached
}

func readHead(root git.Root) (h head, err error) {
	p, ok := git.Locate(root.Top)
	if ok {
		if h.branch, err = p.Checked(); err != nil {
			return h, err
		}
	}
	if h.branch == "" {
		h.commit, err = git.Repo{Dir: root.Top}.Head()
		return h, err
	}
	h.commit, err = p.Tip(h.branch)
	return h, err
}

// busy returns an error in the middle of a merge or rebase.
func busy(gitDir, top string) error {
	for name, what := range map[string]string{
		"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "rebase-merge": "rebase", "rebase-apply": "rebase",
	} {
		_, err := os.Lstat(filepath.Join(gitDir, name))
		if err == nil {
			return fmt.Errorf("%w: a %s in %s; finish it, or «git %s --abort»", ErrBusy, what, top, what)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
