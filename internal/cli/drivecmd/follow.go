package drivecmd

import (
	"context"

	"warp/internal/core/account"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
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
