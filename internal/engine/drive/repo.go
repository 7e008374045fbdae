package drive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
)

// repo looks at the repository; it changes nothing.
func (e *Engine) repo() git.Repo { return e.Work.Repo() }

// place is where the repository is, as long as the work tree is the one that the
// engine was given: one that is gone must not be taken for another around it.
func (e *Engine) place() (git.Place, bool) {
	place, ok := git.Locate(e.Drive.Root())
	if !ok || place.Top != e.Work.Top() && !sameFolder(place.Top, e.Work.Top()) {
		return git.Place{}, false
	}
	return place, true
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// errGone says that there is no work tree any more.
var errGone = &parked{evidence.Person, "the work tree is gone, or its .git is: what was committed is on the branch", "warp recover status"}

// onBranch holds a drive to its branch: what is committed elsewhere is not its
// work, and what somebody else has checked out is not its place.
func (e *Engine) onBranch(s *drive.State) error {
	place, ok := e.place()
	if !ok {
		return errGone
	}
	on, err := place.Checked()
	switch b := s.BranchName(); {
	case err != nil:
		return err
	case b == "" || b == s.MergeTarget:
		return needsPerson("git switch -c feature/issue-"+s.Issue()+", then warp stop --hard and warp drive "+s.Issue(), "the drive has no branch of its own")
	case on != b:
		return needsPerson("git switch "+b+", then warp resume", "the drive works on %s, and %s is checked out", b, orDetached(on))
	}
	return nil
}

// look takes the fingerprint of the work tree anew, after something ran that may
// have changed it.
func (e *Engine) look() (string, error) {
	e.Drive.Tree.AssumeChanged()
	tree, err := e.Drive.Tree.Fingerprint()
	if err == nil {
		e.Drive.Tree.AssumeUnchanged(tree)
	}
	return tree, err
}

// head is the commit that is checked out; an error when there is none.
func (e *Engine) head() (string, error) {
	h, err := e.repo().Head()
	if err == nil && h == "" {
		err = errors.New("the repository has no commit yet")
	}
	return h, err
}

// checkedOut is the branch that is checked out, "" when none is.
func (e *Engine) checkedOut() (string, error) {
	place, ok := e.place()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Checked()
}

// remote is where the repository is pushed to; false: nowhere.
func (e *Engine) remote(ctx context.Context) (string, bool, error) {
	if e.origin != nil {
		return *e.origin, *e.origin != "", nil
	}
	name, ok, err := e.Work.Remote(ctx)
	if err != nil {
		return "", false, err
	}
	if !ok {
		name = ""
	}
	e.origin = &name
	return name, ok, nil
}

// branchTip is the commit of a branch, "" when there is none.
func (e *Engine) branchTip(branch string) (string, error) {
	place, ok := e.place()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Tip(branch)
}

// parent is the commit before a commit, "" when it cannot be told.
func (e *Engine) parent(ctx context.Context, hash string) string {
	if e.newest[0] == hash {
		return e.newest[1]
	}
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", hash + "^"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(a.Stdout))
}

// has reads a file of the project's root.
func (e *Engine) has(path string) ([]byte, bool) {
	text, err := os.ReadFile(filepath.Join(e.Drive.Root(), filepath.FromSlash(path)))
	return text, err == nil
}

// ignored lists the files that git ignores one by one: not those in folders that
// are ignored whole, which tools make and can make again, nor warp's own.
func (e *Engine) ignored(ctx context.Context) ([]string, error) {
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"}})
	if err != nil {
		return nil, err
	}
	var list []string
	for _, p := range git.Split(a.Stdout) {
		if !strings.HasSuffix(p, "/") && !strings.HasPrefix(p, ".claude/") {
			list = append(list, p)
		}
	}
	return list, nil
}

// checkOut makes HEAD stand for a branch again; no file is touched.
func (e *Engine) pointHead(ctx context.Context, branch string) error {
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"symbolic-ref", "HEAD", "refs/heads/" + branch}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	return err
}

// resetIndex makes the index that of the commit that is checked out; no file is
// touched.
func (e *Engine) resetIndex(ctx context.Context) error {
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"read-tree", "HEAD"}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	return err
}
