package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// phases maps each phase to the function that does its work and returns the event. Final phases
// have none.
var phases = map[drivestate.Phase]func(context.Context, *turn) (move, error){
	drivestate.Prerequisites:       checkPrerequisites,
	drivestate.Discovering:         discoverWork,
	drivestate.Planning:            planRequirement,
	drivestate.Chunking:            splitChunks,
	drivestate.Coding:              codeChunk,
	drivestate.UpdatingDocs:        checkOffCriteria,
	drivestate.Testing:             testChunk,
	drivestate.Committing:          commitChunk,
	drivestate.DocDriftCheck:       checkDrift,
	drivestate.Reporting:           fileReport,
	drivestate.ChunkComplete:       beginNextChunk,
	drivestate.RequirementComplete: testRequirement,
	drivestate.Merging:             mergeRequirement,
	drivestate.AwaitingContinue:    answerContinue,
	drivestate.SessionEnding:       endSession,
	drivestate.BudgetExceeded:      handleExceeded,
	drivestate.Aborted:             cleanUpAborted,
}

// branchPhases are the phases in which the drive's branch is checked out.
var branchPhases = []drivestate.Phase{drivestate.Planning, drivestate.Chunking, drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing, drivestate.DocDriftCheck,
	drivestate.Reporting, drivestate.ChunkComplete, drivestate.RequirementComplete, drivestate.Merging}

// move is the result of a step: the event to fire. An empty event means the step moved the drive
// itself.
type move struct {
	on    drivestate.Event
	data  data
	gates []turnstile.Gate
}

type data = drivestate.Data

// parked ends the run without losing the state, so that the drive can continue later, once a person
// acts or time has passed.
type parked struct {
	result evidence.Result
	why    string
	do     string
}

func (p *parked) Error() string { return p.why }

func needsPerson(do, format string, args ...any) error {
	return &parked{evidence.Person, fmt.Sprintf(format, args...), do}
}

// Run drives until nothing is left to do or a person is needed, and returns each requirement's
// outcome. The error says that it could not begin, or that something is broken.
func (e *Engine) Run(ctx context.Context) ([]evidence.Outcome, error) {
	e.assemble()
	hold, err := step.Acquire(ctx, e.Drive.Store(), drivestate.Lease, e.Process, e.remark)
	if err != nil {
		return nil, err
	}
	e.live, e.killed = hold.Live, hold.Killed
	if e.Conductor != nil {
		hold.Live.Tell(func(doing string, tokens, microUSD int64) {
			e.Conductor.Show(doing, conduct.Spent{Tokens: tokens, MicroUSD: microUSD})
		})
	}
	defer func() {
		if e.guard != nil {
			e.guard.Clear()
		}
		if err := e.Drive.Release(e.PID); err != nil {
			e.remark("the drive still names this engine as its owner: %v", err)
		}
		hold.Release()
	}()
	wait := e.Agents.Wait
	e.Agents.Wait = func(ctx context.Context, until time.Time, why string) error {
		e.tell(Note{Kind: Waiting, Until: until, Text: why})
		defer e.tell(Note{Kind: Waiting})
		return wait(ctx, until, why)
	}
	defer func() { e.Agents.Wait = wait }()
	e.Drive.Sleep.LeaveOut(proc.NewSleepMeter(e.Asleep), e.warn)
	if err := readBook(e.ledger); err != nil {
		return nil, err
	}
	leaveOutDeath(e)
	if err := endLeftBehind(ctx, e); err != nil {
		return nil, err
	}
	if e.cfg, err = e.Drive.Project.Settings(); err != nil {
		return nil, err
	}
	e.warn(e.cfg.Warnings)
	if err := equipEngine(e, hold); err != nil {
		return nil, err
	}
	finishSettling(ctx, e)
	for {
		before := len(e.outcomes)
		if err := beginSession(ctx, e); err != nil {
			return e.outcomes, explainUnbegun(e, err)
		}
		sumSpent(e)
		if err := takeSteps(ctx, e, hold); err != nil {
			return e.outcomes, errors.Join(err, e.writeErr)
		}
		if e.onlyCleanUp && !e.Only && e.writeErr == nil && ctx.Err() == nil {
			// The stopped drive is cleaned up: now do what was asked for.
			e.onlyCleanUp, e.issue, e.outcomes = false, nil, e.outcomes[:before]
			e.spent, e.earlier, e.elsewhere, e.Before, e.others = agent.Usage{}, budget.Amount{}, budget.Amount{}, budget.Amount{}, 0
			continue
		}
		if !wantsMore(e, before) {
			return e.outcomes, e.writeErr
		}
	}
}

// takeSteps takes steps until the session ends or is parked.
func takeSteps(ctx context.Context, e *Engine, hold *step.Lease) error {
	for {
		if err := hold.Check(); err != nil {
			return err
		}
		again, err := takeStep(ctx, e)
		switch {
		case errors.Is(err, context.Canceled):
			return stopDrive(ctx, e)
		case err != nil || !again || e.writeErr != nil:
			return err
		}
	}
}

// wantsMore reports whether to begin another session: the last one abandoned its requirement, which
// does not block the others.
func wantsMore(e *Engine, before int) bool {
	if e.Once || e.Issue != "" || e.Only || e.writeErr != nil || len(e.outcomes) == before {
		return false
	}
	r := e.outcomes[len(e.outcomes)-1].Result
	leaveIssue(e)
	return r == evidence.Partly || r == evidence.Failed
}

// takeStep does one phase's work and fires the resulting event. It reports whether there is more to
// do.
func takeStep(ctx context.Context, e *Engine) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := e.Drive.Sleep.Count(); err != nil {
		return false, err
	}
	v, err := e.Drive.Read()
	if err != nil {
		return false, err
	}
	t := &turn{e, v.State}
	do := phases[t.s.Phase]
	if do == nil {
		return false, nil
	}
	if t.s.Paused != nil {
		return true, waitForContinue(ctx, e, t.s)
	}
	if slices.Contains(branchPhases, t.s.Phase) {
		if err := checkBranch(t); err != nil {
			return e.parkDrive(ctx, t.s, err)
		}
	}
	e.until = e.Now().Add(t.s.Used(e.Now()).SessionLeft(e.cfg.Limits))
	e.taker.ShowBounds(e.until)
	if err := loadIssue(ctx, t); err != nil {
		return e.parkDrive(ctx, t.s, err)
	}
	if e.issue != nil {
		e.issue.branch = t.s.BranchName()
	}
	if err := askForPhase(ctx, t); err != nil {
		return e.parkDrive(ctx, t.s, err)
	}
	m, err := do(ctx, t)
	if refused := e.Conductor.Refused(); refused != nil {
		err = refused // even if the step could do without what was refused
	}
	if err != nil {
		return e.parkDrive(ctx, t.s, err)
	}
	if m.on == "" { // it moved the drive itself
		return true, nil
	}
	return fireEvent(ctx, t, m)
}

// parkDrive ends the run without moving the drive, and records why. Unexpected errors end it too,
// as failures.
func (e *Engine) parkDrive(ctx context.Context, s *drivestate.State, err error) (bool, error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, conductor.ErrGone) {
		return false, err
	}
	if again, handled := parkConducted(e, s, err); handled {
		return again, nil
	}
	var p *parked
	var issue *forge.Error
	if !errors.As(err, &p) {
		p = &parked{evidence.Failed, err.Error(), "fix it, then warp resume"}
		if errors.As(err, &issue) {
			p.result, p.why = evidence.Person, issue.Error()
		}
	}
	e.recordOutcome(s, evidence.Outcome{Result: p.result, Why: p.why, Do: p.do})
	if p.result == evidence.Person && s.Phase.Trips() {
		if err := e.Drive.Sleep.Park(); err != nil {
			e.remark("could not exclude the wait for a person from the budget: %v", err)
		}
	}
	if issue == nil && e.book != nil { // the tracker answers
		if err := (&turn{e, s}).desk().SayEnd(ctx); err != nil {
			e.remark("updating the comment on #%s: %v", s.Issue(), err)
		}
	}
	return false, nil
}

// waitForContinue waits until a person unpauses the drive.
func waitForContinue(ctx context.Context, e *Engine, s *drivestate.State) error {
	e.tell(Note{Kind: Waiting, Text: "paused since " + text.LocalStamp(s.Paused.At) + "; warp continue resumes it", Until: e.Now().Add(time.Hour)})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		v, err := e.Drive.Read()
		if err != nil {
			return err
		}
		if v.State.Paused == nil {
			e.tell(Note{Kind: Waiting})
			return nil
		}
	}
}
