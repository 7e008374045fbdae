package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/sys/work"
)

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
	if slices.Contains([]drive.Phase{drive.RequirementComplete, drive.Merging, drive.AwaitingContinue, drive.SessionEnding}, v.State.Phase) {
		e.end(v.State, evidence.Outcome{Result: evidence.Stopped, Why: "it was interrupted when all of it was done and committed", Do: "warp resume merges it"})
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
		errs = append(errs, e.setBoxes(ctx, func(id string, was bool) bool { return was && slices.Contains(done, id) }))
		e.passed("unticked")
		page := paged(evidence.AbortReport(e.page(s), e.subjectOf(s), why, kept))
		errs = append(errs, e.file(ctx, s, "abort", page, []string{labelDrive, labelSummary}, e.marker("abort", s)))
	}
	errs = append(errs, e.fileLearned(ctx, s, e.all(s)))
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
	_, some := evidence.Last(e.page(s).Commits, func(c evidence.Commit) bool { return !c.WIP && !slices.Contains(s.Chunk.Skipped, c.Chunk) })
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
	tree, err := e.Drive.Tree.Fingerprint()
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
