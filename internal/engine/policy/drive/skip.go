package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
)

// skipChunk skips the present chunk: it keeps what was tried, restores the work tree, files a bug,
// and moves the drive to the next chunk. If there is none, wasSkipped notices.
func skipChunk(ctx context.Context, t *turn, why string) error {
	s := t.s
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil {
		return err
	}
	row, err := recordSkip(ctx, t, tree, why)
	if err != nil {
		return err
	}
	desk := t.desk()
	if err := desk.FileBug(ctx, row); err != nil {
		return err
	}
	if tree != s.Chunk.Base && s.Chunk.Base != "" {
		if err := putAside(ctx, t, tree); err != nil {
			return err
		}
	}
	if s.Phase == drivestate.BudgetExceeded {
		if _, err := t.Drive.Fire(ctx, drivestate.BudgetContinue, ""); err != nil {
			return err
		}
		t.pass(string(drivestate.BudgetContinue))
	}
	if t.following() == nil { // else the branch meets them, with or without a fix
		if _, err := desk.SetBoxes(ctx, func(id string, done bool) bool { return done && !slices.Contains(s.Chunk.Present(), id) }); err != nil {
			return err
		}
		t.pass("unticked")
	}
	if _, _, err := t.Drive.SkipChunk(); err != nil {
		return err
	}
	t.pass("skipped")
	why = t.evidenceOfIssue(s).Chunk(s.Chunk.Index).Reason() // a reason a person can look for, not the budget's name
	said := fmt.Sprintf("chunk %d was given up: %s", s.Chunk.Index, t.Redact(strings.TrimPrefix(why, fmt.Sprintf("chunk %d: ", s.Chunk.Index))))
	t.tell(Note{Kind: Skipped, Text: said, Move: Move{Chunk: s.Chunk.Index, Total: s.Chunk.Total}})
	return nil
}

// recordSkip records that the chunk is skipped and keeps what was tried, once.
func recordSkip(ctx context.Context, t *turn, tree, why string) (evidence.Skipped, error) {
	s, page := t.s, t.evidenceOfIssue(t.s)
	if known, ok := evidence.Last(page.Skips, func(k evidence.Skipped) bool { return k.Chunk == s.Chunk.Index }); ok {
		return known.Row, nil
	}
	row := evidence.Skipped{Issue: s.Issue(), Chunk: s.Chunk.Index, Criteria: s.Chunk.Present(), Why: why}
	if tree != s.Chunk.Base {
		if row.Kept = t.keepReachable(ctx, "given-up", tree); row.Kept == "" {
			return row, errors.New("could not save what was tried, so nothing is given up")
		}
	}
	if f := findFault(page, s); f != nil && f.text != "" {
		between := ": "
		if asked, is := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == s.Chunk.Index }); is && asked.Row.Answer == "" {
			between = " Found before that: "
		}
		row.Why += between + f.text
	}
	t.recordEvidence(s, event.Skipped, row)
	t.pass("given up")
	return row, nil
}

// putAside restores the work tree to what it was when the chunk began.
func putAside(ctx context.Context, t *turn, tree string) error {
	changes, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree)
	if err != nil {
		return err
	}
	t.Drive.Tree.AssumeChanged()
	if err := t.Work.Restore(ctx, t.s.Chunk.Base, git.Paths(changes), true); err != nil {
		return err
	}
	if err := t.acceptWorkTree(ctx); err != nil {
		return err
	}
	t.pass("put aside")
	return revertChunk(ctx, t)
}

// wasSkipped reports whether the present chunk was skipped, or has to be: the engine died while
// skipping it, or no other chunk is left.
func wasSkipped(ctx context.Context, t *turn, page *evidence.Book) (m move, skipped bool, err error) {
	if slices.Contains(t.s.Chunk.Skipped, t.s.Chunk.Index) {
		return abortSkipped(t), true, nil
	}
	if k, known := evidence.Last(page.Skips, func(k evidence.Skipped) bool { return k.Chunk == t.s.Chunk.Index }); known {
		return move{}, true, skipChunk(ctx, t, k.Row.Why)
	}
	if why := explainOrphaned(t.s); why != "" {
		return move{}, true, skipChunk(ctx, t, why)
	}
	d, asked := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == t.s.Chunk.Index })
	if asked && d.Row.Answer == "" {
		return move{}, true, fileUnanswered(ctx, t, d.Row)
	}
	return move{}, false, nil
}

// explainOrphaned returns which of the chunk's criteria depends on a skipped one and so has nothing
// to build on.
func explainOrphaned(s *drivestate.State) string {
	skipped := s.Chunk.SkippedCriteria()
	for _, id := range s.Chunk.Present() {
		for _, before := range criteria.Needs(criteria.Criterion{ID: id, Text: s.CriterionText(id)}) {
			if slices.Contains(skipped, before) {
				return fmt.Sprintf("%s depends on %s, which was given up", id, before)
			}
		}
	}
	return ""
}

// describeSkipped returns why chunks were skipped.
func describeSkipped(t *turn) string {
	if why := t.evidenceOfIssue(t.s).Reason(); why != "" {
		return t.Redact(why)
	}
	return fmt.Sprintf("%d of %d chunks could not be done", len(t.s.Chunk.Skipped), t.s.Chunk.Total)
}

func abortSkipped(t *turn) move {
	return move{on: drivestate.Abort, data: data{Failure: describeSkipped(t)}}
}
