package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/sys/work"
)

// goOn says yes to the next requirement, unless one was all that was wanted.
func (e *Engine) goOn(ctx context.Context, s *drive.State) (move, error) {
	if n, err := strconv.Atoi(s.Issue()); err == nil {
		e.tried[n] = "it was just done"
	}
	switch {
	case e.Once || e.Issue != "" || e.Only:
	case s.Session.Level == 2 && !e.Own:
		e.remark("the next requirement needs a branch of its own: switch to it and run warp drive again, or use --worktree")
	case !e.cfg.AutoMerge && !e.Own:
	default:
		e.issue = nil
		return move{on: drive.ContinueYes}, nil
	}
	return move{on: drive.ContinueNo}, nil
}

// summarise files what the session did and what was learned.
func (e *Engine) summarise(ctx context.Context, s *drive.State) (move, error) {
	all := e.book.Of("", e.since(s))
	if len(all.Runs)+len(all.Commits) > 0 {
		if err := e.fileSummary(ctx, s, all); err != nil {
			return move{}, err
		}
	}
	if last, known := evidence.Last(all.Outcomes, func(evidence.Outcome) bool { return true }); known && len(e.ends) == 0 {
		e.ends = append(e.ends, last.Row) // the engine died after it
	}
	if len(e.ends) == 0 {
		e.end(s, evidence.Outcome{Result: evidence.NoWork, Why: "nothing is approved that could be worked on"})
	}
	if err := e.leave(ctx, s); err != nil {
		e.remark("%v", err)
	}
	return move{on: drive.SessionEnded}, nil
}

func (e *Engine) fileSummary(ctx context.Context, s *drive.State, all *evidence.Book) error {
	err := e.file(ctx, s, "summary", paged(evidence.SessionSummary(all, e.subjectOf(s))), []string{labelSummary, labelDrive}, e.session("summary", s))
	if err != nil {
		return err
	}
	var known []string
	for _, r := range all.Runs {
		for _, lesson := range r.Row.Lessons {
			if slices.Contains(known, lesson) {
				continue
			}
			known = append(known, lesson)
			if err := e.file(ctx, s, "lesson", paged(evidence.Lesson(e.subjectOf(s), lesson)), []string{labelLesson, labelDrive}, e.session("lesson "+strconv.Itoa(len(known)), s)); err != nil {
				return err
			}
		}
	}
	for i, d := range all.Decisions {
		if d.Row.Answer == "" {
			continue
		}
		if err := e.file(ctx, s, "decision", paged(evidence.DecisionRecord(e.subjectOf(s), d.Row)), []string{labelDecision, labelDrive}, e.session("decision "+strconv.Itoa(i+1), s)); err != nil {
			return err
		}
	}
	return nil
}

// leave goes back to the branch that was checked out when the session began,
// when that is possible: a branch that the drive made is nobody's place to be.
func (e *Engine) leave(ctx context.Context, s *drive.State) error {
	if e.Own || s.Session.Level == 2 {
		return nil
	}
	to := s.MergeTarget
	if s.SessionBranch != nil {
		to = *s.SessionBranch
	}
	if err := e.Work.Branch(ctx, to, ""); err != nil {
		return err
	}
	e.passed("left")
	return nil
}

// escalate is what is done about a budget that is spent. A chunk that cannot be
// done is given up, so that it does not keep the others from being done; what is
// the session's own ends it, and a person gives more.
func (e *Engine) escalate(ctx context.Context, s *drive.State) (move, error) {
	reasons := s.Budgets.ExceededReasons
	if why := e.overspent; why != "" {
		e.overspent = ""
		return move{}, &parked{evidence.Budget, why, "wait, or raise the limit, then warp resume"}
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
		return move{}, &parked{evidence.Budget, fmt.Sprintf("budget exceeded in %s: %v", s.Budgets.ExceededFromPhase, reasons), "warp resume --fresh gives a fresh allowance, warp stop gives up"}
	}
	return move{}, e.giveUp(ctx, s, fmt.Sprintf("%v", reasons))
}

// giveUp gives the present chunk up: what was tried is kept, the work tree is as
// it was before, a bug is filed, and a person is asked or told. The drive is
// moved to the next chunk; where there is none, given finds that.
func (e *Engine) giveUp(ctx context.Context, s *drive.State, why string) error {
	tree, err := e.Drive.Tree()
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
		e.keep(event.Skipped, row.Row)
		e.passed("given up")
	}
	page := paged(evidence.BugDeferred(e.page(s), e.subjectOf(s), row.Row))
	if err := e.file(ctx, s, "bug", page, []string{labelBug, labelDrive}, e.chunkMarker("bug", s)); err != nil {
		return err
	}
	if tree != s.Chunk.Base && s.Chunk.Base != "" {
		changes, err := e.repo().Changes(s.Chunk.Base, tree)
		if err != nil {
			return err
		}
		e.Drive.Stir()
		if err := e.Work.Restore(ctx, s.Chunk.Base, paths(changes), true); err != nil {
			return err
		}
		e.passed("put aside")
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
	if _, _, err := e.Drive.Skip(); err != nil {
		return err
	}
	e.passed("skipped")
	e.tell(Note{Kind: Skipped, Text: fmt.Sprintf("chunk %d was given up: %s", s.Chunk.Index, short(firstLine(row.Row.Why), 200)), Chunk: s.Chunk.Index, Total: s.Chunk.Total})
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
	d, asked := evidence.Last(page.Decisions, func(d evidence.Decision) bool { return d.Chunk == s.Chunk.Index })
	if asked && d.Row.Answer == "" {
		return move{}, true, e.unanswered(ctx, s, d.Row)
	}
	return move{}, false, nil
}

// uncheck takes back boxes of criteria that are not done after all.
func (e *Engine) uncheck(ctx context.Context, s *drive.State, ids []string) error {
	return e.setBoxes(ctx, func(id string, done bool) bool { return done && !contains(ids, id) })
}

// stop ends the drive because a person wants it to: what is under way is kept,
// and the account is filed. It has a time of its own, since the context that it
// was to work in is over.
func (e *Engine) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	v, err := e.Drive.Read()
	if err != nil {
		return err
	}
	if !v.State.Phase.Active() {
		return context.Canceled
	}
	if v.State.Phase != drive.Aborted {
		res, err := e.Drive.Fire(ctx, drive.Abort, `{"failure":"stopped by a person"}`)
		if err != nil {
			return err
		}
		e.moved(res)
		e.passed(string(drive.Abort))
	}
	for {
		again, err := e.step(ctx)
		if err != nil || !again {
			return errors.Join(err, context.Canceled)
		}
	}
}

const stopTime = 2 * time.Minute

// cleanUp ends a drive that was given up: work in progress is committed on the
// drive's branch, boxes of what is not done are opened again, the account is
// filed.
func (e *Engine) cleanUp(ctx context.Context, s *drive.State) (move, error) {
	why := e.abortReason(s)
	var errs []error
	kept, err := e.wip(ctx, s)
	errs = append(errs, err)
	if s.Issue() != "" && e.issue != nil {
		done := s.Checked[s.Issue()]
		errs = append(errs, e.setBoxes(ctx, func(id string, was bool) bool { return was && contains(done, id) }))
		e.passed("unticked")
		page := paged(evidence.AbortReport(e.page(s), e.subjectOf(s), why, kept))
		errs = append(errs, e.file(ctx, s, "abort", page, []string{labelDrive, labelSummary}, e.marker("abort", s)))
	}
	if len(e.ends) == 0 || e.ends[len(e.ends)-1].Issue != s.Issue() {
		e.end(s, e.abortOutcome(s, why))
	}
	if n, err := strconv.Atoi(s.Issue()); err == nil {
		e.tried[n] = why
	}
	errs = append(errs, e.leave(ctx, s))
	if err := errors.Join(errs...); err != nil {
		e.remark("cleaning up: %v", err)
		return move{on: drive.AbortCleanupFailed, data: data{Failure: e.Redact(err.Error())}}, nil
	}
	return move{on: drive.AbortResolved}, nil
}

// abortReason is why the drive was given up, as it was journalled.
func (e *Engine) abortReason(s *drive.State) string {
	if len(s.Chunk.Skipped) > 0 {
		return e.givenUp(s)
	}
	return "it was stopped"
}

// abortOutcome tells what came of a drive that did not get to its end.
func (e *Engine) abortOutcome(s *drive.State, why string) evidence.Outcome {
	o := evidence.Outcome{Result: evidence.Stopped, Why: why, Do: "warp drive " + s.Issue() + " takes up what is open"}
	skipped := len(s.Chunk.Skipped)
	_, some := evidence.Last(e.page(s).Commits, func(c evidence.Commit) bool { return !c.WIP })
	switch {
	case skipped > 0 && some:
		o.Result = evidence.Partly
	case skipped > 0:
		o.Result = evidence.Failed
	}
	if skipped > 0 {
		o.Do = "see the issues labelled " + labelBug + "; warp drive " + s.Issue() + " tries again"
	}
	return o
}

// wip commits what a chunk has changed so far, on the drive's branch; where it
// has none, it is kept under a reference.
func (e *Engine) wip(ctx context.Context, s *drive.State) (kept string, err error) {
	tree, err := e.Drive.Tree()
	if err != nil || s.Chunk.Base == "" || tree == s.Chunk.Base || s.Checklist.Committed {
		return "", err
	}
	if b := s.BranchName(); b == "" || b == s.MergeTarget {
		return e.salvage(ctx, s, "stopped", tree), nil
	}
	if on, err := e.checkedOut(); err != nil || on != s.BranchName() {
		return "", err // the engine died after it had left the branch
	}
	c := e.change(s, tree)
	c.Message = e.wipMessage(s)
	hash, err := e.made(ctx, s)
	if err == nil && hash == "" {
		hash, err = e.Work.Commit(ctx, c)
	}
	switch {
	case errors.Is(err, work.ErrNothing):
		return "", nil
	case err != nil:
		return e.salvage(ctx, s, "stopped", tree), err
	}
	e.passed("wip committed")
	e.committed(ctx, s, hash, true)
	e.push(ctx, s)
	return hash, nil
}

func (e *Engine) wipMessage(s *drive.State) string {
	return fmt.Sprintf("wip: #%s chunk %d, stopped\n\n%s\n", s.Issue(), s.Chunk.Index, e.trailer(s))
}
