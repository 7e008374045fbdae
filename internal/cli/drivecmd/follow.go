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
)

// followsApart tells whether the one issue to be driven is another cycle of a pull request
// whose branch is not the one checked out here: it gets a separate work tree.
func (w *workshop) followsApart(ctx context.Context, driven []account.Issue) bool {
	issue := w.only(driven)
	if issue == "" || w.o.first() == "" && driven[0].Follows == "" {
		return false
	}
	branch, _ := w.chooser(issue).FollowedBranch(ctx, issue)
	if branch == "" {
		return false
	}
	place, ok := git.Locate(w.drive.Root())
	on, err := place.Checked()
	return ok && err == nil && on != branch
}

// hasPlace tells whether the one issue to be driven failed in a separate work tree, which
// has its branch: it is tried again there.
func (w *workshop) hasPlace(driven []account.Issue) bool {
	issue := w.only(driven)
	return issue != "" && (&place.Places{Root: w.drive.Root()}).Exists(placeName(issue))
}

// only is the one issue to be begun; "": there are several, or one is under way.
func (w *workshop) only(driven []account.Issue) string {
	switch {
	case w.o.only || w.isUnderWay():
		return ""
	case len(w.o.issues) == 1:
		return w.o.issues[0]
	case len(w.o.issues) == 0 && len(driven) == 1:
		return driven[0].Number
	}
	return ""
}

// placeName is the name of the separate work tree of an issue.
func placeName(issue string) string { return "issue-" + issue }

// errHalted ends a wait because no further issue is to be begun.
var errHalted = errors.New("the night is over")

// followUntil waits for the checks of pull requests until the night is to end, and drives
// each issue whose pull request needs another cycle. Only are the issues; none: all.
func (w *workshop) followUntil(ctx context.Context, only []string) (ends []evidence.Outcome, err error) {
	chooser := w.chooser("")
	for w.halted() == "" {
		issue, err := chooser.AwaitFollow(ctx, w.o.until, only, w.waitForChecks)
		if errors.Is(err, errHalted) {
			return ends, nil
		}
		if err != nil || issue == "" {
			return ends, err
		}
		got, err := w.driveFollowed(ctx, issue)
		if ends = append(ends, got...); err != nil {
			return ends, err
		}
	}
	return ends, nil
}

// driveFollowed drives another cycle of a pull request: where its branch is checked out, or
// in a separate work tree.
func (w *workshop) driveFollowed(ctx context.Context, issue string) ([]evidence.Outcome, error) {
	driven := []account.Issue{{Number: issue, Follows: "its checks have ended"}}
	named := w.o.issues
	w.o.issues = nil
	apart := w.followsApart(ctx, driven) || w.hasPlace(driven)
	w.o.issues = named
	if apart {
		return w.driveApart(ctx, issue)
	}
	return w.driveOne(ctx, w.drive, issue, isOwnWorkTree(w.drive.Root()))
}

// waitForChecks waits, and says for what.
func (w *workshop) waitForChecks(ctx context.Context, until time.Time, why string) error {
	if w.halted() != "" {
		return errHalted
	}
	w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Waiting, Until: until, Text: why})
	defer func() { w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Waiting}) }()
	return proc.WaitUntil(ctx, until, w.app.Env.Now)
}
