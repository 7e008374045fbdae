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

	"warp/internal/core/account"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// needsOwnTree tells whether an issue is driven in a separate work tree: it failed in one,
// which has its branch, or it is another cycle of a pull request whose branch is not the
// one checked out here. Follows: it is likely to be one.
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

// hasPlace tells whether an issue has a separate work tree.
func hasPlace(d *turnstile.Drive, issue string) bool {
	return issue != "" && (&place.Places{Root: d.Root()}).Exists(placeName(issue))
}

// onlyIssue is the one issue to be begun; "": there are several, or one is under way.
func (o options) onlyIssue(d *turnstile.Drive, driven []account.Issue) string {
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

// placeName is the name of the separate work tree of an issue.
func placeName(issue string) string { return "issue-" + issue }

// errHalted ends a wait because no further issue is to be begun.
var errHalted = errors.New("the night is over")

// followUntil waits for the checks of pull requests until the night is to end, and drives
// each issue whose pull request needs another cycle: where its branch is checked out, or in
// a separate work tree.
func (n *nightRun) followUntil(ctx context.Context) (ends []evidence.Outcome, err error) {
	chooser := n.engines.makeChooser("")
	for n.halted() == "" {
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

// waitForChecks waits, and says for what.
func (n *nightRun) waitForChecks(ctx context.Context, until time.Time, why string) error {
	if n.halted() != "" {
		return errHalted
	}
	view, now := n.talk.view, n.app.Env.Now
	view.Note(drive.Note{At: now(), Kind: drive.Waiting, Until: until, Text: why})
	defer func() { view.Note(drive.Note{At: now(), Kind: drive.Waiting}) }()
	return proc.WaitUntil(ctx, until, now)
}

// left is a drive in another work tree of the repository that is unfinished, and
// that no engine drives.
type left struct{ root, issue, title string }

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
			list = append(list, left{root, v.State.Issue(), v.State.Titles[v.State.Issue()]})
		}
	}
	return list
}

// resumeUnfinished resumes what is unfinished in other work trees: all of it, or what
// was named. What was named is taken off the list of what is to be begun.
func (n *nightRun) resumeUnfinished(ctx context.Context) (ends []evidence.Outcome, err error) {
	for _, l := range n.trees.listUnfinished() {
		if len(n.o.issues) > 0 && !slices.Contains(n.o.issues, l.issue) {
			continue
		}
		n.issues = slices.DeleteFunc(slices.Clone(n.issues), func(i string) bool { return i == l.issue })
		if why := n.halted(); why != "" {
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

// leaveUnresumed has the account tell of a drive that is left as it is: one whose agent does
// nothing once had it run three times for each of many unfinished drives.
func (n *nightRun) leaveUnresumed(issue, title, why string) {
	n.unresumed = append(n.unresumed, account.Issue{Number: issue, Title: title, Passed: "not resumed: " + why, Do: "warp resume " + issue})
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
