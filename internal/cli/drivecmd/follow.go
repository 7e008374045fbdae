package drivecmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// needsOwnTree reports whether to drive an issue in a separate work tree: it has one from a
// failed drive, or it is another cycle of a pull request whose branch is not checked out here.
// follows says that it may be such a cycle.
func (n *nightRun) needsOwnTree(ctx context.Context, issue string, follows bool) bool {
	if hasPlace(n.drive, issue) {
		return true
	}
	if issue == "" || !follows {
		return false
	}
	branch, _ := n.engines.makeChooser(issue).FollowedBranch(ctx, issue)
	place, ok := git.Locate(n.drive.Root())
	on, err := place.Checked()
	return branch != "" && ok && err == nil && on != branch
}

// hasPlace reports whether an issue has a separate work tree.
func hasPlace(d *turnstile.Drive, issue string) bool {
	return issue != "" && (&place.Places{Root: d.Root()}).Exists(placeName(issue))
}

// onlyIssue returns the only issue to begin; "" if there are several or one is under way.
func (o options) onlyIssue(d *turnstile.Drive, driven []nightreport.Issue) string {
	switch {
	case o.only || isUnderWay(d):
		return ""
	case len(o.issues) == 1:
		return o.issues[0]
	case len(o.issues) == 0 && len(driven) == 1:
		return driven[0].Number
	}
	return ""
}

// placeName returns the name of an issue's separate work tree.
func placeName(issue string) string { return "issue-" + issue }

// errHalted ends a wait because no further issue may begin.
var errHalted = errors.New("the night is over")

// followUntil waits for the checks of pull requests until the night ends. It drives each issue
// whose pull request needs another cycle, where its branch is checked out or in a separate work
// tree.
func (n *nightRun) followUntil(ctx context.Context) (ends []evidence.Outcome, err error) {
	chooser := n.engines.makeChooser("")
	for n.whyHalted() == "" {
		issue, err := chooser.AwaitFollow(ctx, n.o.until, n.o.issues, n.waitForChecks)
		if errors.Is(err, errHalted) {
			return ends, nil
		}
		if err != nil || issue == "" {
			return ends, err
		}
		driveIssue := n.engines.driveHere
		if !isUnderWay(n.drive) && n.needsOwnTree(ctx, issue, true) {
			driveIssue = n.trees.driveApart
		}
		got, err := driveIssue(ctx, issue)
		if ends = append(ends, got...); err != nil {
			return ends, err
		}
	}
	return ends, nil
}

// waitForChecks waits and shows what for.
func (n *nightRun) waitForChecks(ctx context.Context, until time.Time, why string) error {
	if n.whyHalted() != "" {
		return errHalted
	}
	view, now := n.talk.view, n.app.Env.Now
	view.Note(drive.Note{At: now(), Kind: drive.Waiting, Until: until, Text: why})
	defer func() { view.Note(drive.Note{At: now(), Kind: drive.Waiting}) }()
	return proc.WaitUntil(ctx, until, now)
}

// unfinishedDrive is an unfinished drive in another work tree that no engine is driving.
type unfinishedDrive struct{ root, issue, title string }

func (t *workTrees) listUnfinished() (list []unfinishedDrive) {
	place, ok := git.Locate(t.drive.Root())
	if !ok || place.GitDir() != place.Common() {
		return nil // with --worktree, the separate work tree is meant
	}
	for _, root := range turnstile.ActiveProjects(place) {
		if root == t.drive.Root() {
			continue
		}
		own, there := git.Locate(root)
		if isOwnWorkTree(root) && (!there || own.GitDir() == own.Common()) { // no longer a work tree
			t.app.Notes(forgetLost(root))
			continue
		}
		if !turnstile.HasState(root) {
			continue
		}
		v, err := turnstile.Open(root, t.app.Env).Read()
		if err == nil && v.State.Phase.Active() && v.Stale {
			list = append(list, unfinishedDrive{root, v.State.Issue(), v.State.Titles[v.State.Issue()]})
		}
	}
	return list
}

// resumeUnfinished resumes the drives in other work trees, or the named ones of them, and
// removes them from the issues to begin.
func (n *nightRun) resumeUnfinished(ctx context.Context) (ends []evidence.Outcome, err error) {
	for _, l := range n.trees.listUnfinished() {
		if len(n.o.issues) > 0 && !slices.Contains(n.o.issues, l.issue) {
			continue
		}
		n.issues = slices.DeleteFunc(slices.Clone(n.issues), func(i string) bool { return i == l.issue })
		if why := n.whyHalted(); why != "" {
			n.leaveUnresumed(l.issue, l.title, why)
			continue
		}
		got, e := n.trees.driveWithin(ctx, l.root, l.issue)
		ends, err = append(ends, got...), errors.Join(err, e)
		if ctx.Err() != nil {
			break
		}
	}
	return ends, err
}

// leaveUnresumed lists a drive in the account as not resumed. (A night with a broken agent once ran
// it three times for each of many unfinished drives.)
func (n *nightRun) leaveUnresumed(issue, title, why string) {
	n.unresumed = append(n.unresumed, nightreport.Issue{Number: issue, Title: title, Passed: "not resumed: " + why, Do: evidence.RepeatCaps("warp resume "+issue, issue, n.o.caps())})
}

// forgetLost forgets a drive whose work tree is gone. Its commits are on its branch, and the
// rest of its folder is only its state.
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

// isOwnWorkTree reports whether a drive created this work tree.
func isOwnWorkTree(root string) bool {
	return strings.Contains(filepath.ToSlash(root), "/"+place.Folder+"/issue-")
}
