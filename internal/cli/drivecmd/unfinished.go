package drivecmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// left is a drive in another work tree of the repository that is unfinished, and
// that no engine drives.
type left struct{ root, issue string }

func (t *workTrees) listUnfinished() (list []left) {
	place, ok := git.Locate(t.drive.Root())
	if !ok || place.GitDir() != place.Common() {
		return nil // with --worktree, the separate work tree is meant
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if root == t.drive.Root() {
			continue
		}
		own, there := git.Locate(root)
		if isOwnWorkTree(root) && (!there || own.GitDir() == own.Common()) { // it is no work tree any more
			t.app.Notes(forgetLost(root))
			continue
		}
		if !turnstile.HasState(root) {
			continue
		}
		v, err := turnstile.Open(root, t.app.Env).Read()
		if err == nil && v.State.Phase.Active() && v.Stale {
			list = append(list, left{root, v.State.Issue()})
		}
	}
	return list
}

// resumeUnfinished resumes what is unfinished in other work trees: all of it, or what
// was named. What was named is taken off the list of what is to be begun.
func (n *nightRun) resumeUnfinished(ctx context.Context) (ends []evidence.Outcome, err error) {
	for _, l := range n.trees.listUnfinished() {
		if len(n.issues) > 0 && !slices.Contains(n.issues, l.issue) {
			continue
		}
		n.issues = slices.DeleteFunc(slices.Clone(n.issues), func(i string) bool { return i == l.issue })
		got, e := n.trees.driveWithin(ctx, l.root, l.issue)
		ends, err = append(ends, got...), errors.Join(err, e)
		if ctx.Err() != nil {
			break
		}
	}
	return ends, err
}

// forgetLost forgets a drive whose work tree is gone. What it committed is on its
// branch; what is left of its folder is nothing but its own state.
func forgetLost(root string) []string {
	left, err := os.ReadDir(root)
	if err == nil && !slices.ContainsFunc(left, func(d os.DirEntry) bool { return d.Name() != ".claude" }) {
		err = durable.RemoveFolder(root)
	}
	turnstile.ForgetProject(root)
	note := "the work tree " + root + " is gone: its drive starts again from its branch"
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		note += " (" + err.Error() + ")"
	}
	return []string{note}
}

// isOwnWorkTree tells whether a folder is a work tree that a drive made for itself.
func isOwnWorkTree(root string) bool {
	return strings.Contains(filepath.ToSlash(root), "/"+place.Folder+"/issue-")
}
