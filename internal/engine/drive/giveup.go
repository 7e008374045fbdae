package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// raise is the way on from a budget of the settings.
const raise = "wait, or raise the limit, then warp resume"

// escalate is what is done about a budget that is spent. A chunk that cannot be
// done is given up, so that it does not keep the others from being done; what is
// the session's own ends it, and a person gives more.
func (e *Engine) escalate(ctx context.Context, s *drive.State) (move, error) {
	reasons := s.Budgets.ExceededReasons
	if why := e.overspent; why != "" {
		e.overspent = ""
		return move{}, &parked{evidence.Budget, why, raise}
	}
	_, more := e.left()
	paid := more && slices.Equal(reasons, []string{drive.CostExceeded})
	if (e.Fresh || paid) && s.CanContinue() {
		e.Fresh = false
		return move{on: drive.BudgetContinue}, nil
	}
	chunkwise := []string{drive.RetryExceeded, drive.CodingCyclesReached, drive.NoProgress}
	of := slices.ContainsFunc(reasons, func(r string) bool { return !slices.Contains(chunkwise, r) })
	inChunk := slices.Contains([]drive.Phase{drive.Coding, drive.UpdatingDocs, drive.Testing, drive.Committing, drive.DocDriftCheck}, s.Budgets.ExceededFromPhase)
	if of || !inChunk {
		return move{}, &parked{evidence.Budget, fmt.Sprintf("budget exceeded in %s: %v", s.Budgets.ExceededFromPhase, reasons), evidence.WayOn(s)}
	}
	return move{}, e.giveUp(ctx, s, fmt.Sprintf("%v", reasons))
}

// giveUp gives the present chunk up: what was tried is kept, the work tree is as
// it was before, a bug is filed, and a person is asked or told. The drive is
// moved to the next chunk; where there is none, given finds that.
func (e *Engine) giveUp(ctx context.Context, s *drive.State, why string) error {
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return err
	}
	row, known := evidence.Last(e.page(s).Skips, func(k evidence.Skipped) bool { return k.Chunk == s.Chunk.Index })
	if !known {
		row.Row = evidence.Skipped{Issue: s.Issue(), Chunk: s.Chunk.Index, Criteria: s.Present(), Why: why}
		if tree != s.Chunk.Base {
			row.Row.Kept = e.salvage(ctx, s, "given-up", tree)
			if row.Row.Kept == "" {
				return errors.New("what was tried could not be kept, so nothing is given up")
			}
		}
		if f := fault(e.page(s), s); f != nil {
			row.Row.Why += ": " + f.text
		}
		e.keep(s, event.Skipped, row.Row)
		e.passed("given up")
	}
	page := paged(evidence.BugDeferred(e.page(s), e.subjectOf(s), row.Row))
	if err := e.file(ctx, s, "bug", page, []string{labelBug, labelDrive}, e.chunkMarker("bug", s)); err != nil {
		return err
	}
	if tree != s.Chunk.Base && s.Chunk.Base != "" {
		changes, err := e.Drive.Tree.CompareTrees(s.Chunk.Base, tree)
		if err != nil {
			return err
		}
		e.Drive.Tree.AssumeChanged()
		if err := e.Work.Restore(ctx, s.Chunk.Base, paths(changes), true); err != nil {
			return err
		}
		e.passed("put aside")
		if err := e.revert(ctx, s); err != nil {
			return err
		}
	}
	if s.Phase == drive.BudgetExceeded {
		if _, err := e.Drive.Fire(ctx, drive.BudgetContinue, ""); err != nil {
			return err
		}
		e.passed(string(drive.BudgetContinue))
	}
	if err := e.uncheck(ctx, s, s.Present()); err != nil {
		return err
	}
	e.passed("unticked")
	if _, _, err := e.Drive.SkipChunk(); err != nil {
		return err
	}
	e.passed("skipped")
	e.tell(Note{Kind: Skipped, Text: fmt.Sprintf("chunk %d was given up: %s", s.Chunk.Index, text.Clip(text.FirstLine(row.Row.Why), 200)), Chunk: s.Chunk.Index, Total: s.Chunk.Total})
	return nil
}

// given tells whether the present chunk was given up, or is about to be: the
// engine died over it, or there is no other chunk to go on with.
func (e *Engine) given(ctx context.Context, s *drive.State, page *evidence.Book) (m move, given bool, err error) {
	if slices.Contains(s.Chunk.Skipped, s.Chunk.Index) {
		return move{on: drive.Abort, data: data{Failure: e.givenUp(s)}}, true, nil
	}
	if k, known := evidence.Last(page.Skips, func(k evidence.Skipped) bool { return k.Chunk == s.Chunk.Index }); known {
		return move{}, true, e.giveUp(ctx, s, k.Row.Why)
	}
	if why := orphaned(s); why != "" {
		return move{}, true, e.giveUp(ctx, s, why)
	}
	d, asked := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == s.Chunk.Index })
	if asked && d.Row.Answer == "" {
		return move{}, true, e.unanswered(ctx, s, d.Row)
	}
	return move{}, false, nil
}

// orphaned says which of the chunk's criteria depends on one that was given up:
// there is nothing to build it on.
func orphaned(s *drive.State) string {
	given := s.SkippedCriteria()
	for _, id := range s.Present() {
		for _, before := range criteria.Needs(criteria.Criterion{ID: id, Text: s.Written(id)}) {
			if slices.Contains(given, before) {
				return fmt.Sprintf("%s depends on %s, which was given up", id, before)
			}
		}
	}
	return ""
}

// uncheck takes back boxes of criteria that are not done after all.
func (e *Engine) uncheck(ctx context.Context, s *drive.State, ids []string) error {
	return e.setBoxes(ctx, func(id string, done bool) bool { return done && !slices.Contains(ids, id) })
}
