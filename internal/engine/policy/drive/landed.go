package drive

import (
	"warp/internal/core/evidence"
	"warp/internal/engine/land"
)

// recordLanded keeps where the work of the drive's branch is now. At level 2 the branch is
// a person's, unless the work tree is the drive's own.
func recordLanded(t *turn, row evidence.Landed) error {
	s := t.s
	row.Issue, row.Epoch, row.Branch, row.Target, row.Level = s.Issue(), s.Session.StartedAtEpoch, s.BranchName(), s.MergeTarget, s.Session.Level
	row.Borrowed = s.Session.Level == 2 && !t.Own
	if was, known := evidence.Last(t.book.Landed, func(l evidence.Landed) bool { return l.Branch == row.Branch }); known && t.following() != nil {
		row.Borrowed, row.Protected = was.Row.Borrowed, was.Row.Protected
	}
	return land.RecordLanded(t.lander, row)
}
