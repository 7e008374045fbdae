package drive

import (
	"context"
	"slices"

	"warp/internal/core/commit"
	"warp/internal/core/evidence"
	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
	"warp/internal/engine/filing"
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
	about := &desk.About.Contents
	var added, unproved, proved []string
	for _, c := range made {
		subject, said := commit.Split(c.Message)
		about.Changes = append(about.Changes, evidence.Change{Hash: c.Hash, Subject: subject, Said: said})
		changes, err := t.repo().Trees().Changes(t.lander.Parent(ctx, c.Hash), c.Hash)
		if err != nil {
			continue // a first or shallow commit: it is only words
		}
		tested := false
		for _, change := range changes {
			if !testintegrity.IsTest(change.Path) {
				continue
			}
			tested = true
			if change.Status == 'A' {
				added = append(added, change.Path)
			} else if !slices.Contains(added, change.Path) && !slices.Contains(about.ChangedTests, change.Path) {
				about.ChangedTests = append(about.ChangedTests, change.Path)
			}
		}
		if e, known := evidence.Last(whole.Commits, func(r evidence.Commit) bool { return r.Hash == c.Hash }); known && tested {
			proved = append(proved, e.Row.Criteria...)
		} else if known {
			unproved = append(unproved, e.Row.Criteria...)
		}
	}
	for _, c := range desk.About.Criteria { // in their order
		if slices.Contains(text.Without(unproved, proved), c.ID) {
			about.Unproved = append(about.Unproved, c.ID)
		}
	}
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
