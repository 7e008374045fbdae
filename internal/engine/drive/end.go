package drive

import (
	"context"
	"slices"
	"strconv"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
)

// answerContinue says yes to the next requirement, unless one was all that was wanted.
func (e *Engine) answerContinue(ctx context.Context, s *drive.State) (move, error) {
	if n, err := strconv.Atoi(s.Issue()); err == nil {
		e.finder.tried[n] = "it was just done"
	}
	switch {
	case e.Once || e.Issue != "" || e.Only:
	case s.Session.Level == 2 && !e.Own:
		e.ledger.remark("the next requirement needs a branch of its own: switch to it and run warp drive again, or use --worktree")
	default:
		e.issue = nil
		return move{on: drive.ContinueYes}, nil
	}
	return move{on: drive.ContinueNo}, nil
}

// endSession files what the session did and what was learned.
func (e *Engine) endSession(ctx context.Context, s *drive.State) (move, error) {
	all := e.ledger.all(s)
	if len(all.Runs)+len(all.Commits) > 0 {
		if err := e.filer.fileSummary(ctx, s, all); err != nil {
			return move{}, err
		}
	}
	if last, known := evidence.Last(all.Outcomes, func(evidence.Outcome) bool { return true }); known && len(e.ledger.ends) == 0 {
		e.ledger.ends = append(e.ledger.ends, last.Row) // the engine died after it
	}
	if len(e.ledger.ends) == 0 {
		e.ledger.recordOutcome(s, evidence.Outcome{Result: evidence.NoWork, Why: "nothing is approved that could be worked on"})
	}
	if err := e.leaveBranch(ctx, s); err != nil {
		e.ledger.remark("%v", err)
	}
	if err := e.runner.checkRemote(ctx, s); err != nil { // it is merged: that cannot be taken back, but it is said
		e.ledger.remark("%v", err)
	}
	return move{on: drive.SessionEnded}, nil
}

func (e *filer) fileSummary(ctx context.Context, s *drive.State, all *evidence.Book) error {
	err := e.fileIssue(ctx, s, "summary", paged(evidence.SessionSummary(all, e.describeSubject(s))), []string{labelSummary, labelDrive}, e.sessionMarker("summary", s))
	if err != nil {
		return err
	}
	return e.fileLearned(ctx, s, all)
}

// fileLearned files the lessons and the decisions of a session, however it ends.
func (e *filer) fileLearned(ctx context.Context, s *drive.State, all *evidence.Book) error {
	var known []string
	for _, r := range all.Runs {
		for _, lesson := range r.Row.Lessons {
			if slices.Contains(known, lesson) {
				continue
			}
			known = append(known, lesson)
			if err := e.fileIssue(ctx, s, "lesson", paged(evidence.Lesson(e.describeSubject(s), lesson)), []string{labelLesson, labelDrive}, e.sessionMarker("lesson "+strconv.Itoa(len(known)), s)); err != nil {
				return err
			}
		}
	}
	for i, d := range all.Decisions {
		if d.Row.Answer == "" {
			continue
		}
		if err := e.fileIssue(ctx, s, "decision", paged(evidence.DecisionRecord(e.describeSubject(s), d.Row)), []string{labelDecision, labelDrive}, e.sessionMarker("decision "+strconv.Itoa(i+1), s)); err != nil {
			return err
		}
	}
	return nil
}

// leaveBranch goes back to the branch that was checked out when the session began,
// when that is possible: a branch that the drive made is nobody's place to be.
func (e *Engine) leaveBranch(ctx context.Context, s *drive.State) error {
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
	e.ledger.passPoint("left")
	return nil
}
