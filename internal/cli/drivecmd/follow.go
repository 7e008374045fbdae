package drivecmd

import (
	"context"

	"warp/internal/core/account"
	"warp/internal/sys/git"
)

// followsApart tells whether the one issue to be driven is another cycle of a pull request
// whose branch is not the one checked out here: it gets a separate work tree.
func (w *workshop) followsApart(ctx context.Context, driven []account.Issue) bool {
	issue := w.o.first()
	switch {
	case issue == "" && len(driven) == 1 && driven[0].Follows != "":
		issue = driven[0].Number
	case issue == "":
		return false
	}
	if w.o.only || w.isUnderWay() {
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
