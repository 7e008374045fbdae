package drivecmd

import (
	"context"
	"errors"
	"time"

	"warp/internal/core/account"
	"warp/internal/core/evidence"
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
