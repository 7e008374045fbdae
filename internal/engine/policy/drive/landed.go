package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
	"warp/internal/engine/gate"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
)

// finishMerge records the merge and closes the issue.
func finishMerge(ctx context.Context, t *turn, tip string, err error) (move, error) {
	if err != nil {
		return move{}, err
	}
	if err := recordLanded(t, evidence.Landed{Commit: tip}); err != nil {
		return move{}, err
	}
	desk := t.desk()
	describeContents(ctx, t, &desk, mergedCommits(ctx, t, tip))
	if err := desk.CloseMerged(context.WithoutCancel(ctx), tip); err != nil {
		return move{}, err
	}
	closeSettled(ctx, t, tip)
	t.recordOutcome(t.s, evidence.Outcome{Result: evidence.Merged, Commit: tip})
	return move{on: drivestate.Merged, data: data{Commit: tip}}, nil
}

// findLanded returns the drive's last commit in the merge target if another machine merged all of
// them and died before recording it, else "": a fleet once parked such an issue forever. It
// searches for trailers, since rebased commits are not on the branch.
func findLanded(ctx context.Context, t *turn) (last string, err error) {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return "", err
	}
	target, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil || tip == "" || target == "" {
		return "", err
	}
	base, err := gate.MergeBase(ctx, t.repo(), tip, "refs/heads/"+t.s.MergeTarget)
	if err != nil {
		return "", err
	}
	made, err := t.repo().Commits(target, base)
	if err != nil {
		return "", err
	}
	for i := 1; i <= t.s.Chunk.Total; i++ {
		if slices.Contains(t.s.Chunk.Skipped, i) || hasEarlierCommit(t, i) {
			continue
		}
		has := func(c git.Commit) bool { return hasLine(c.Message, drivestate.Trailer(t.s, i)) }
		n := slices.IndexFunc(made, has)
		if n < 0 {
			return "", nil
		}
		last = made[n].Hash
	}
	if last != "" {
		t.remark("%s has the work already: it is closed", t.s.MergeTarget)
		recordMade(ctx, t, made)
	}
	return last, nil
}

func hasLine(text, line string) bool { return slices.Contains(strings.Split(text, "\n"), line) }

// recordRebased records the new hashes of commits that a rebase rewrote.
func recordRebased(ctx context.Context, t *turn, tip string) error {
	target, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return err
	}
	made, err := t.repo().Commits(tip, target)
	if err != nil {
		return err
	}
	recordMade(ctx, t, made)
	return nil
}

func recordMade(ctx context.Context, t *turn, made []git.Commit) {
	var rows []any
	for _, c := range t.evidenceOfIssue(t.s).Commits {
		for _, m := range made {
			if strings.Contains(m.Message, drivestate.Trailer(t.s, c.Row.Chunk)) && m.Hash != c.Row.Hash {
				row := c.Row
				row.Was, row.Hash = row.Hash, m.Hash
				measureCommit(ctx, t, &row, "")
				rows = append(rows, row)
			}
		}
	}
	rows = append(rows, movedEarlier(t, rows)...)
	t.recordEvidence(t.s, event.Commit, rows...)
}

// recordLanded records where the work of the drive's branch is now. At level 2 the branch may
// belong to a person.
func recordLanded(t *turn, row evidence.Landed) error {
	s := t.s
	row.Issue, row.Epoch, row.Branch, row.Target, row.Level = s.Issue(), s.Session.StartedAtEpoch, s.BranchName(), s.MergeTarget, s.Session.Level
	row.Borrowed = borrowsBranch(t)
	if was, known := evidence.Last(t.book.Landed, func(l evidence.Landed) bool { return l.Branch == row.Branch }); known && t.following() != nil {
		row.Borrowed, row.Protected = was.Row.Borrowed, was.Row.Protected
	}
	return land.RecordLanded(t.lander, row)
}

// reopenUndone reopens boxes that a lost machine checked off for its first chunk without pushing
// the commit: they would count as done, and a requirement was once merged without them.
func reopenUndone(ctx context.Context, t *turn) error {
	last := len(t.s.History) - 1
	if t.s.Issue() == "" || last < 0 || t.s.History[last].Event != "recovered" {
		return nil
	}
	i, err := getIssue(ctx, t.Engine, t.s.Issue())
	if err != nil {
		return err
	}
	desk := t.desk()
	desk.Issue = i
	before, known, err := filing.CheckedBefore(ctx, desk)
	if err != nil || !known {
		return err
	}
	opened, err := desk.SetBoxes(ctx, func(id string, was bool) bool { return was && slices.Contains(before, id) })
	if err == nil && len(opened) > 0 {
		t.remark("reopened criteria that were checked off on another machine and never pushed: %s", strings.Join(opened, ", "))
	}
	return err
}
