package drive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// trees asks the repository.
type trees struct {
	*Engine
	origin *string   // the remote, once it was looked for; "": none
	newest [2]string // the last commit, and what it was made on
}

// repo looks at the repository; it changes nothing.
func (e *trees) repo() git.Repo { return e.Work.Repo() }

// locate is where the repository is, as long as the work tree is the one that the
// engine was given.
func (e *trees) locate() (git.Place, bool) { return git.LocateIn(e.Drive.Root(), e.Work.Top()) }

// salvage keeps a commit or a tree from being collected, and returns the
// reference that does.
func (e *trees) salvage(ctx context.Context, s *drive.State, what, object string) string {
	name := fmt.Sprintf("%s/issue-%s-chunk-%d-%s-%s", what, s.Issue(), s.Chunk.Index, e.Now().UTC().Format("20060102T150405"), text.Hash(object))
	if err := e.Work.Keep(ctx, name, object); err != nil {
		e.ledger.remark("%s could not be kept: %v", text.Hash(object), err)
		return ""
	}
	return "refs/warp/" + name
}

// errGone says that there is no work tree any more.
var errGone = &parked{evidence.Person, "the work tree is gone, or its .git is: what was committed is on the branch", "warp recover status"}

// onBranch holds a drive to its branch: what is committed elsewhere is not its
// work, and what somebody else has checked out is not its place.
func (e *trees) onBranch(s *drive.State) error {
	place, ok := e.locate()
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

// snapshotWorkTree takes the fingerprint of the work tree anew, after something ran that may
// have changed it.
func (e *trees) snapshotWorkTree() (string, error) {
	e.Drive.Tree.AssumeChanged()
	tree, err := e.Drive.Tree.Fingerprint()
	if err == nil {
		e.Drive.Tree.AssumeUnchanged(tree)
	}
	return tree, err
}

// settle takes the work tree as the engine has left it: what differs from before
// is no person's, and not an agent's.
func (e *trees) settle(ctx context.Context) error {
	e.Drive.Tree.AssumeChanged()
	return e.runner.guard.Settle(context.WithoutCancel(ctx))
}

// head is the commit that is checked out; an error when there is none.
func (e *trees) head() (string, error) {
	h, err := e.repo().Head()
	if err == nil && h == "" {
		err = errors.New("the repository has no commit yet")
	}
	return h, err
}

// checkedOut is the branch that is checked out, "" when none is.
func (e *trees) checkedOut() (string, error) {
	place, ok := e.locate()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Checked()
}

// remote is where the repository is pushed to; false: nowhere.
func (e *trees) remote(ctx context.Context) (string, bool, error) {
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
func (e *trees) branchTip(branch string) (string, error) {
	place, ok := e.locate()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Tip(branch)
}

// parent is the commit before a commit, "" when it cannot be told.
func (e *trees) parent(ctx context.Context, hash string) string {
	if e.newest[0] == hash {
		return e.newest[1]
	}
	a, err := e.repo().Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", hash + "^"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(a.Stdout))
}

// readFile reads a file of the project's root.
func (e *trees) readFile(path string) ([]byte, bool) {
	text, err := os.ReadFile(filepath.Join(e.Drive.Root(), filepath.FromSlash(path)))
	return text, err == nil
}

// ignored lists the files that git ignores one by one: not those in folders that
// are ignored whole, which tools make and can make again, nor warp's own.
func (e *trees) ignored(ctx context.Context) ([]string, error) {
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

// prefix is the project's folder from the top of the work tree.
func (e *trees) prefix() string {
	rel, err := filepath.Rel(e.Work.Top(), e.Drive.Root())
	if err != nil {
		return ""
	}
	return filepath.ToSlash(rel)
}
