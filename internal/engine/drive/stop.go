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

// stopDrive ends the drive because a person wants it to: what is under way is kept,
// and the account is filed. It has a time of its own, since the context that it
// was to work in is over.
func (e *Engine) stopDrive(ctx context.Context) error {
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
		e.ledger.recordOutcome(v.State, evidence.Outcome{Result: evidence.Stopped, Why: "it was interrupted when all of it was done and committed", Do: "warp resume merges it"})
		return context.Canceled
	}
	if v.State.Phase != drive.Aborted {
		res, err := e.Drive.Fire(ctx, drive.Abort, `{"failure":"stopped by a person"}`)
		if err != nil {
			return err
		}
		e.tellMove(res)
		e.ledger.passPoint(string(drive.Abort))
	}
	for {
		again, err := e.takeStep(ctx)
		if err != nil || !again {
			return errors.Join(err, context.Canceled)
		}
	}
}

const stopTime = 2 * time.Minute

// cleanUpAborted ends a drive that was given up: work in progress is committed on the
// drive's branch, boxes of what is not done are opened again, the account is
// filed.
func (e *Engine) cleanUpAborted(ctx context.Context, s *drive.State) (move, error) {
	why := e.abortReason(s)
	var errs []error
	kept, err := e.committer.commitWIP(ctx, s)
	errs = append(errs, err)
	if s.Issue() != "" && e.issue != nil {
		done := s.Checked[s.Issue()]
		errs = append(errs, e.filer.setBoxes(ctx, func(id string, was bool) bool { return was && slices.Contains(done, id) }))
		e.ledger.passPoint("unticked")
		page := paged(evidence.AbortReport(e.ledger.page(s), e.filer.describeSubject(s), why, kept))
		errs = append(errs, e.filer.fileIssue(ctx, s, "abort", page, []string{labelDrive, labelSummary}, e.filer.marker("abort", s)))
	}
	errs = append(errs, e.filer.fileLearned(ctx, s, e.ledger.all(s)))
	if len(e.ledger.ends) == 0 || e.ledger.ends[len(e.ledger.ends)-1].Issue != s.Issue() {
		e.ledger.recordOutcome(s, e.abortOutcome(s, why))
	}
	if n, err := strconv.Atoi(s.Issue()); err == nil {
		e.finder.tried[n] = why
	}
	errs = append(errs, e.leaveBranch(ctx, s))
	if err := errors.Join(errs...); err != nil {
		e.ledger.remark("cleaning up: %v", err)
		return move{on: drive.AbortCleanupFailed, data: data{Failure: e.Redact(err.Error())}}, nil
	}
	return move{on: drive.AbortResolved}, nil
}

// abortReason is why the drive was given up, as it was journalled.
func (e *Engine) abortReason(s *drive.State) string {
	if len(s.Chunk.Skipped) > 0 {
		return e.skipper.describeSkipped(s)
	}
	return "it was stopped"
}

// abortOutcome tells what came of a drive that did not get to its end.
func (e *Engine) abortOutcome(s *drive.State, why string) evidence.Outcome {
	o := evidence.Outcome{Result: evidence.Stopped, Why: why, Do: "warp drive " + s.Issue() + " takes up what is open"}
	skipped := len(s.Chunk.Skipped)
	_, some := evidence.Last(e.ledger.page(s).Commits, func(c evidence.Commit) bool { return !c.WIP && !slices.Contains(s.Chunk.Skipped, c.Chunk) })
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

// commitWIP commits what a chunk has changed so far, on the drive's branch; where it
// has none, it is kept under a reference.
func (e *committer) commitWIP(ctx context.Context, s *drive.State) (kept string, err error) {
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil || s.Chunk.Base == "" || tree == s.Chunk.Base || s.Checklist.Committed {
		return "", err
	}
	if b := s.BranchName(); b == "" || b == s.MergeTarget {
		return e.trees.salvage(ctx, s, "stopped", tree), nil
	}
	if on, err := e.trees.checkedOut(); err != nil || on != s.BranchName() {
		return "", err // the engine died after it had left the branch
	}
	c := e.chunkChange(s, tree)
	c.Message = e.wipMessage(s)
	hash, err := e.findCommit(ctx, s)
	if err == nil && hash == "" {
		hash, err = e.commitInGit(ctx, s, c)
	}
	switch {
	case errors.Is(err, work.ErrNothing):
		return "", nil
	case err != nil:
		return e.trees.salvage(ctx, s, "stopped", tree), err
	}
	e.ledger.passPoint("wip committed")
	e.recordCommit(ctx, s, hash, true)
	return hash, e.pushBranch(ctx, s)
}

func (e *committer) wipMessage(s *drive.State) string {
	return fmt.Sprintf("wip: #%s chunk %d, stopped\n\n%s\n", s.Issue(), s.Chunk.Index, e.trailer(s))
}
