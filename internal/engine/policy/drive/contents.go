package drive

import (
	"context"
	"slices"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/filing"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
)

// describeContents tells the desk what a branch brings: all of its commits, also those of earlier
// drives of the requirement, with the evidence about them (a pull request once listed one of two
// commits).
func describeContents(ctx context.Context, t *turn, desk *filing.Desk, made []git.Commit) {
	whole := t.book.Of(t.s.Issue(), 0)
	whole.Commits = slices.DeleteFunc(slices.Clone(whole.Commits), func(e evidence.Entry[evidence.Commit]) bool {
		return !slices.ContainsFunc(made, func(c git.Commit) bool { return c.Hash == e.Row.Hash })
	})
	desk.Page = whole
	contents, tested := land.ReadContents(ctx, t.lander, made)
	var unproved, proved []string
	for _, e := range whole.Commits {
		if slices.Contains(tested, e.Row.Hash) {
			proved = append(proved, e.Row.Criteria...)
		} else {
			unproved = append(unproved, e.Row.Criteria...)
		}
	}
	for _, c := range desk.About.Criteria { // in their order
		if slices.Contains(text.Without(unproved, proved), c.ID) {
			contents.Unproved = append(contents.Unproved, c.ID)
		}
	}
	desk.About.Contents = contents
}

// mergedCommits returns the requirement's commits in what was merged.
func mergedCommits(ctx context.Context, t *turn, tip string) (made []git.Commit) {
	for _, e := range t.book.Of(t.s.Issue(), 0).Commits {
		if in, err := t.repo().Descends(tip, e.Row.Hash); err != nil || !in {
			continue
		}
		list, err := t.repo().Commits(e.Row.Hash, t.lander.Parent(ctx, e.Row.Hash))
		if err == nil && len(list) == 1 {
			made = append(made, list...)
		}
	}
	return made
}
