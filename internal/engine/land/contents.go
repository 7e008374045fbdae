package land

import (
	"context"
	"slices"

	"warp/internal/core/commit"
	"warp/internal/core/evidence"
	"warp/internal/core/testintegrity"
	"warp/internal/sys/git"
)

// ReadContents returns what commits bring, oldest first, and which of them touch a test.
func ReadContents(ctx context.Context, l *Lander, made []git.Commit) (about evidence.Contents, tested []string) {
	var added []string
	for _, c := range made {
		subject, said := commit.Split(c.Message)
		about.Changes = append(about.Changes, evidence.Change{Hash: c.Hash, Subject: subject, Said: said})
		changes, err := l.Work.Repo().Trees().Changes(l.Parent(ctx, c.Hash), c.Hash)
		if err != nil {
			continue // a first or shallow commit: it is only words
		}
		var changed []string
		for _, change := range changes {
			switch {
			case !testintegrity.IsTest(change.Path):
				continue
			case change.Status == 'A':
				added = append(added, change.Path)
			case !slices.Contains(added, change.Path) && !slices.Contains(changed, change.Path):
				changed = append(changed, change.Path)
			}
			tested = append(tested, c.Hash)
		}
		if len(changed) == 0 {
			continue
		}
		stat, err := l.Work.Stat(ctx, l.Parent(ctx, c.Hash), c.Hash)
		for _, file := range changed {
			// One that only grew says what it said before.
			if (err != nil || slices.Contains(stat.Cut, file) || !slices.Contains(stat.Paths, file)) && !slices.Contains(about.ChangedTests, file) {
				about.ChangedTests = append(about.ChangedTests, file)
			}
		}
	}
	return about, tested
}
