package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/filing"
)

// desk returns the desk that files reports about the present requirement.
func (t *turn) desk() filing.Desk {
	s := t.s
	d := filing.Desk{Tracker: t.Tracker, As: t.cfg.ReportAs, Redact: t.Redact, Passed: t.pass, Epoch: s.Session.StartedAtEpoch, Page: t.evidenceOfIssue(s), Session: t.evidenceOfSession(s), Whole: t.book.Page(s.Issue(), 0),
		Record: func(row evidence.Filed, say string) { recordFiled(t.ledger, s, row, say) },
		About: evidence.Subject{Issue: s.Issue(), Branch: s.BranchName(), Level: s.Session.Level, User: s.Session.GitHubUser,
			Chunk: s.Chunk.Index, Total: s.Chunk.Total, Started: s.Session.StartedAt, Ended: event.Stamp(t.Now())}}
	if t.issue == nil {
		return d
	}
	d.Issue, d.About.Title = t.issue.Issue, t.issue.Title
	for _, c := range t.issue.criteria {
		d.About.Criteria = append(d.About.Criteria, evidence.Named{ID: c.ID, Text: c.Text,
			Done: slices.Contains(s.Checked[s.Issue()], c.ID), Skipped: slices.Contains(s.Chunk.SkippedCriteria(), c.ID)})
	}
	return d
}

func fileReport(ctx context.Context, t *turn) (move, error) {
	return move{on: drivestate.ReportFiled}, t.desk().FileReport(ctx)
}

// beginNextChunk goes to the next chunk or ends the requirement: as done, or as aborted if chunks
// were skipped.
func beginNextChunk(ctx context.Context, t *turn) (move, error) {
	if t.cfg.Reconcile {
		if err := reconcileCounters(t); err != nil {
			return move{}, err
		}
	}
	showCriteria(t)
	withdrawOfChunk(t)
	if err := checkDev(ctx, t.Engine); err != nil {
		return move{}, err
	}
	switch {
	case t.s.Chunk.Index < t.s.Chunk.Total:
		return move{on: drivestate.NextChunk}, baseNextChunk(ctx, t)
	case len(t.s.Chunk.Skipped) > 0:
		return abortSkipped(t), nil
	}
	return move{on: drivestate.RequirementDone}, nil
}

// baseNextChunk sets the base of the next chunk: the work tree, without what an agent of a killed
// engine left there, which is the chunk's work (a recovered drive found its diff empty).
func baseNextChunk(ctx context.Context, t *turn) error {
	if t.guard != nil && !t.guard.Began {
		return beginChunk(ctx, t)
	}
	_, err := t.snapshotWorkTree()
	return err
}

// reconcileCounters recomputes the counters from git and from the filed reports.
func reconcileCounters(t *turn) error {
	tips := [2]string{}
	for i, branch := range []string{t.s.BranchName(), t.s.MergeTarget} {
		tip, err := t.lander.Tip(branch)
		if err != nil {
			return err
		}
		if tip == "" {
			return fmt.Errorf("counting what was committed: the branch %s is gone", branch)
		}
		tips[i] = tip
	}
	made, err := t.repo().Commits(tips[0], tips[1])
	if err != nil {
		return err
	}
	var hashes []string
	for _, c := range made {
		if strings.Contains(c.Message, fmt.Sprintf("session %d", t.s.Session.StartedAtEpoch)) {
			hashes = append(hashes, c.Hash)
		}
	}
	reports := 0
	if t.cfg.ReportAs == filing.Off {
		reports = t.s.Metrics.ReportsFiled
	}
	for _, f := range t.evidenceOfSession(t.s).Filed {
		if f.Row.What == "report" {
			reports++
		}
	}
	wrong, err := t.Drive.ReconcileCounters(hashes, reports)
	for _, w := range wrong {
		t.remark("the counter %s was wrong and was corrected", w)
	}
	return err
}

// answerContinue continues with the next requirement, unless only one was wanted.
func answerContinue(ctx context.Context, t *turn) (move, error) {
	withdrawOfIssue(t)
	if n, err := strconv.Atoi(t.s.Issue()); err == nil {
		t.tried[n] = "it was just done"
	}
	switch {
	case t.Once || t.Issue != "" || t.Only:
		offerNext(ctx, t)
	case borrowsBranch(t):
		t.remark("the next requirement needs its own branch: switch to it and run warp drive again, or use --worktree")
	default:
		leaveIssue(t.Engine)
		return move{on: drivestate.ContinueYes}, nil
	}
	return move{on: drivestate.ContinueNo}, nil
}

// endSession files what the session did and what it learned.
func endSession(ctx context.Context, t *turn) (move, error) {
	all := t.evidenceOfSession(t.s)
	if len(all.Runs)+len(all.Commits) > 0 {
		desk := t.desk()
		if !t.Night {
			if err := desk.FileSummary(ctx); err != nil {
				return move{}, err
			}
		}
		if err := desk.FileLearned(ctx); err != nil {
			return move{}, err
		}
	}
	if last, known := evidence.Last(all.Outcomes, nil); known && len(t.outcomes) == 0 {
		t.outcomes = append(t.outcomes, last.Row) // the engine died after recording it
	}
	if len(t.outcomes) == 0 {
		t.recordOutcome(t.s, evidence.Outcome{Result: evidence.NoWork, Why: "no approved issue can be worked on"})
	}
	// The work is merged: what is wrong now cannot be undone, only reported.
	for _, err := range []error{leaveBranch(ctx, t), checkRemote(ctx, t)} {
		if err != nil {
			t.remark("%v", err)
		}
	}
	return move{on: drivestate.SessionEnded}, nil
}

// leaveBranch returns to the branch that was checked out when the session began, if possible:
// no one should be left on a branch that the drive made.
func leaveBranch(ctx context.Context, t *turn) error {
	persons := t.s.Session.Level == 2 && !t.Own && t.s.SessionBranch != nil
	if t.Own && t.Conductor == nil || persons { // a fleet's clone stays
		return nil
	}
	to := t.s.MergeTarget
	if t.s.SessionBranch != nil {
		to = *t.s.SessionBranch
	}
	if err := t.Work.Branch(ctx, to, ""); err != nil {
		return err
	}
	t.pass("left")
	return nil
}

// cleanUpAborted ends an aborted drive: it commits work in progress to the drive's branch, reopens
// the boxes of what is not done, and files the report.
func cleanUpAborted(ctx context.Context, t *turn) (move, error) {
	withdrawOfIssue(t)
	s, why := t.s, "it was stopped"
	switch {
	case len(s.Chunk.Skipped) > 0:
		why = describeSkipped(t)
	case endedByBudget(s):
		why = fmt.Sprintf("budget exceeded in %s: %s; phase_timeout_enforcement is abort", s.Budgets.ExceededFromPhase, drivestate.Spell(s.Budgets.ExceededReasons))
	}
	kept, err := commitWIP(ctx, t)
	errs := []error{err}
	desk := t.desk()
	if s.Issue() != "" && t.issue != nil {
		done, follows := s.Checked[s.Issue()], t.following() != nil
		_, err := desk.SetBoxes(ctx, func(id string, was bool) bool { return was && (follows || slices.Contains(done, id)) })
		t.pass("unticked")
		if errs = append(errs, err); !t.Night || len(s.Chunk.Skipped) == 0 || desk.As == filing.AsComment { // else the night's summary has it
			errs = append(errs, desk.FileAbort(ctx, why, kept))
		}
	}
	errs = append(errs, desk.FileLearned(ctx))
	if len(t.outcomes) == 0 || t.outcomes[len(t.outcomes)-1].Issue != s.Issue() {
		t.recordOutcome(s, abortOutcome(s, t.evidenceOfIssue(s), why))
	}
	if n, err := strconv.Atoi(s.Issue()); err == nil {
		t.tried[n] = why
	}
	errs = append(errs, leaveBranch(ctx, t))
	if err := errors.Join(errs...); err != nil {
		t.remark("cleaning up: %v", err)
		return move{on: drivestate.AbortCleanupFailed, data: data{Failure: t.Redact(err.Error())}}, nil
	}
	return move{on: drivestate.AbortResolved}, nil
}

// endedByBudget reports whether a budget aborted the drive, as configured, rather than a person.
func endedByBudget(s *drivestate.State) bool {
	last := len(s.History) - 1
	return last >= 0 && s.History[last].Event == drivestate.BudgetAbort && len(s.Budgets.ExceededReasons) > 0
}

// abortOutcome returns the outcome of a drive that did not reach its end.
func abortOutcome(s *drivestate.State, page *evidence.Book, why string) evidence.Outcome {
	if len(s.Chunk.Skipped) == 0 && endedByBudget(s) {
		return evidence.Outcome{Result: evidence.Budget, Why: why, Do: "warp drive " + s.Issue() + " continues with what is open; raise max_phase_minutes, or set phase_timeout_enforcement to warn"}
	}
	if len(s.Chunk.Skipped) == 0 {
		return evidence.Outcome{Result: evidence.Stopped, Why: why, Do: "warp drive " + s.Issue() + " continues with what is open"}
	}
	o := evidence.Outcome{Result: evidence.Failed, Why: why, Do: "warp evidence " + s.Issue() + " shows what failed; warp drive " + s.Issue() + " tries again"}
	if _, some := evidence.Last(page.Commits, func(c evidence.Commit) bool { return !c.WIP && !slices.Contains(s.Chunk.Skipped, c.Chunk) }); some {
		o.Result = evidence.Partly
	}
	return o
}

// isRecorded reports whether an outcome is the last one recorded. An outcome that needs work counts
// only for its phase: observers would take a drive that has moved since for an interrupted one.
func isRecorded(page *evidence.Book, s *drivestate.State, o evidence.Outcome) bool {
	last, known := evidence.Last(page.Outcomes, nil)
	at, _ := time.Parse(time.RFC3339, last.At)                     // the zero time if unknown
	began, _ := time.Parse(time.RFC3339, s.Budgets.PhaseStartedAt) // likewise
	return known && last.Row == o && (o.Result.Good() || !at.Before(began))
}

// describeFinish says what is left to do when everything is committed.
func describeFinish(level int) string {
	if level == 2 {
		return "opens its pull request"
	}
	return "merges it"
}

const stopTime = 2 * time.Minute

// stopDrive ends the drive because a person wants it to: it keeps unfinished work and files the
// report. It has its own deadline, because the run's context is already cancelled.
func stopDrive(ctx context.Context, e *Engine) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	v, err := e.Drive.Read()
	if err != nil {
		return err
	}
	if !v.State.Phase.Active() {
		return context.Canceled
	}
	if slices.Contains([]drivestate.Phase{drivestate.RequirementComplete, drivestate.Merging, drivestate.AwaitingContinue, drivestate.SessionEnding}, v.State.Phase) {
		e.recordOutcome(v.State, evidence.Outcome{Result: evidence.Stopped, Why: "it was interrupted after everything was done and committed", Do: "warp resume " + describeFinish(v.State.Session.Level)})
		return context.Canceled
	}
	if v.State.Phase != drivestate.Aborted {
		res, err := e.Drive.Fire(ctx, drivestate.Abort, `{"failure":"stopped by a person"}`)
		if err != nil {
			return err
		}
		e.tellMove(res)
		e.pass(string(drivestate.Abort))
	}
	for {
		again, err := takeStep(ctx, e)
		if err != nil || !again {
			return errors.Join(err, context.Canceled)
		}
	}
}
