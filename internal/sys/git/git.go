// Package git asks the git binary about a repository and takes snapshots of its
// work tree.
//
// It guarantees:
//
//   - It never changes the user's index, work tree, references or configuration. A snapshot
//     adds unreferenced objects to the repository, which git collects in time.
//   - It runs no hook and no file-system monitor of the repository, never prompts at a
//     terminal, and ignores variables such as GIT_DIR that lead to another repository.
//   - Every command ends within a minute.
//
// Run and Stage are for sys/gitwrite, which changes repositories and is responsible for
// what it lets git do.
//
// Paths are git's own: separated by slashes, relative to the repository's top,
// and any bytes but NUL, so not always valid UTF-8.
package git

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

var (
	// ErrNoGit means that there is no git binary.
	ErrNoGit = errors.New("git is not installed or not in PATH")
	// ErrNotRepo means that a folder is not inside a git work tree. A bare repository has none.
	ErrNotRepo = errors.New("not inside a git work tree")
	// ErrNoRef means that a reference does not exist.
	ErrNoRef = errors.New("no such reference")
	// errTooLarge means that a file is larger than the caller wants.
	errTooLarge = errors.New("the file is too large")
	// ErrNotFile means that a path is a folder or a submodule, which has no content.
	ErrNotFile = errors.New("not a file")
	// ErrSlow means that a command exceeded its time limit.
	ErrSlow = errors.New("was ended")
)

// Repo is the repository that a folder belongs to. Dir may be any folder in its work tree.
type Repo struct {
	Dir  string
	root *Root // its location when opened; if nil, git is asked each time
}

// Open finds the repository of a folder.
func Open(dir string) (Repo, error) {
	r, _, err := OpenRoot(dir)
	return r, err
}

// OpenRoot finds the repository of a folder and its location.
func OpenRoot(dir string) (Repo, Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, Root{}, fmt.Errorf("opening the repository of %s: %w", dir, err)
	}
	r := Repo{Dir: abs}
	root, err := r.Root()
	if f := (*Failure)(nil); errors.As(err, &f) && notRepo(f.Stderr) {
		return Repo{}, Root{}, fmt.Errorf("opening the repository of %s: %w (git says: %s); run «git init» there, or choose a folder inside a repository", abs, ErrNotRepo, f.Stderr)
	}
	if err != nil {
		return Repo{}, Root{}, fmt.Errorf("opening the repository of %s: %w", abs, err)
	}
	r.root = &root
	return r, root, nil
}

// notRepo reports whether git's message means that this is not a work tree: outside a repository,
// in a bare one, or inside a .git folder.
func notRepo(said string) bool {
	return strings.Contains(said, "not a git repository") || strings.Contains(said, "must be run in a work tree")
}

// Top returns the top folder of the work tree.
func (r Repo) Top() (string, error) {
	if r.root != nil {
		return r.root.Top, nil
	}
	return r.path("rev-parse", "--show-toplevel")
}

// GitDir returns the absolute path of this work tree's git folder; a linked worktree has its own.
func (r Repo) GitDir() (string, error) { return r.path("rev-parse", "--absolute-git-dir") }

// CommonDir returns the absolute path of the git folder that all worktrees of the repository share.
func (r Repo) CommonDir() (string, error) {
	root, err := r.Root()
	return root.Common(), err
}

// path runs a command that prints one path. It only cuts off the newline, because a path may end in
// white space.
func (r Repo) path(args ...string) (string, error) {
	out, err := r.must(Call{Args: args})
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), nil
}
