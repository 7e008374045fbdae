package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// parked ends the run where it is: the state is kept, and a person or time can
// make it go on.
type parked struct {
	result evidence.Result
	why    string
	do     string
}

func (p *parked) Error() string { return p.why }

func needsPerson(do, format string, args ...any) error {
	return &parked{evidence.Person, fmt.Sprintf(format, args...), do}
}

// move is what a step has found out: the event that is true now.
type move struct {
	on    drive.Event
	data  data
	gates []turnstile.Gate
}

// data is what goes with an event.
type data struct {
	Requirement string     `json:"requirement,omitempty"`
	Branch      string     `json:"branch,omitempty"`
	Chunks      [][]string `json:"chunks,omitempty"`
	Commit      string     `json:"commit,omitempty"`
	Failure     string     `json:"failure,omitempty"`
	Tokens      *int64     `json:"tokens,omitempty"`
}

// does is what is done in a phase, and says which event is true then.
type does func(context.Context, *drive.State) (move, error)

// phases says what is done in each phase. Nothing is done in a final one.
func (e *Engine) phases() map[drive.Phase]does {
	return map[drive.Phase]does{
		drive.Prerequisites:       e.finder.checkPrerequisites,
		drive.Discovering:         e.finder.discoverWork,
		drive.Planning:            e.coder.plan,
		drive.Chunking:            e.coder.splitChunks,
		drive.Coding:              e.coder.codeChunk,
		drive.UpdatingDocs:        e.committer.checkOffCriteria,
		drive.Testing:             e.tester.runTests,
		drive.Committing:          e.committer.commitChunk,
		drive.DocDriftCheck:       e.committer.checkDrift,
		drive.Reporting:           e.filer.fileReport,
		drive.ChunkComplete:       e.beginNextChunk,
		drive.RequirementComplete: e.tester.testRequirement,
		drive.Merging:             e.merger.mergeRequirement,
		drive.AwaitingContinue:    e.answerContinue,
		drive.SessionEnding:       e.endSession,
		drive.BudgetExceeded:      e.skipper.handleExceeded,
		drive.Aborted:             e.cleanUpAborted,
	}
}

// branched are the phases in which the drive's branch is checked out.
var branched = []drive.Phase{drive.Planning, drive.Chunking, drive.Coding, drive.UpdatingDocs, drive.Testing, drive.Committing, drive.DocDriftCheck,
	drive.Reporting, drive.ChunkComplete, drive.RequirementComplete, drive.Merging}

// takeStep does one phase's work and fires what comes of it. It tells whether there
// is more to do.
func (e *Engine) takeStep(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	v, err := e.Drive.Read()
	if err != nil {
		return false, err
	}
	s := v.State
	do := e.phases()[s.Phase]
	if do == nil {
		return false, nil
	}
	if s.Paused != nil {
		return true, e.waitForContinue(ctx, s)
	}
	if slices.Contains(branched, s.Phase) {
		if err := e.trees.onBranch(s); err != nil {
			return e.parkDrive(s, err)
		}
	}
	e.runner.until = e.Now().Add(s.SessionLeft(e.cfg.Limits, e.Now()))
	if err := e.finder.loadIssue(ctx, s); err != nil {
		return e.parkDrive(s, err)
	}
	if e.issue != nil {
		e.issue.branch = s.BranchName()
	}
	m, err := do(ctx, s)
	if err != nil {
		return e.parkDrive(s, err)
	}
	if m.on == "" { // it moved the drive itself
		return true, nil
	}
	return e.fireEvent(ctx, s, m)
}

// parkDrive ends the run without moving the drive, and says why. Errors that are
// nobody's decision end it too, as they are.
func (e *Engine) parkDrive(s *drive.State, err error) (bool, error) {
	var p *parked
	var issue *forge.Error
	switch {
	case errors.Is(err, context.Canceled):
		return false, err
	case errors.As(err, &p):
	case errors.As(err, &issue):
		p = &parked{evidence.Person, issue.Error(), "mend it, then warp resume"}
	default:
		p = &parked{evidence.Failed, err.Error(), "mend it, then warp resume"}
	}
	e.ledger.recordOutcome(s, evidence.Outcome{Result: p.result, Why: p.why, Do: p.do})
	return false, nil
}
