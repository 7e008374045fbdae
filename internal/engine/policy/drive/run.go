package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// phases says what is done in each phase, and which event is true then. Nothing is
// done in a final one.
var phases = map[drivestate.Phase]func(context.Context, *turn) (move, error){
	drivestate.Prerequisites:       checkPrerequisites,
	drivestate.Discovering:         discoverWork,
	drivestate.Planning:            draftPlan,
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

// branched are the phases in which the drive's branch is checked out.
var branched = []drivestate.Phase{drivestate.Planning, drivestate.Chunking, drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing, drivestate.DocDriftCheck,
	drivestate.Reporting, drivestate.ChunkComplete, drivestate.RequirementComplete, drivestate.Merging}

// move is what a step has found out: the event that is true now.
type move struct {
	on    drivestate.Event
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

// parked ends the run where it is: the state is kept, and a person or time can
// make it continue.
type parked struct {
	result evidence.Result
	why    string
	do     string
}

func (p *parked) Error() string { return p.why }

func needsPerson(do, format string, args ...any) error {
	return &parked{evidence.Person, fmt.Sprintf(format, args...), do}
}

// Run drives until nothing is left to do or nothing more can be done without a
// person, and returns what became of each requirement. The error says that it
// could not begin, or that something is broken.
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
		before := len(e.ends)
		if err := beginSession(ctx, e); err != nil {
			return e.ends, explainUnbegun(e, err)
		}
		sumSpent(e)
		if err := takeSteps(ctx, e, hold); err != nil {
			return e.ends, errors.Join(err, e.bad)
		}
		if e.tidied && !e.Only && e.bad == nil && ctx.Err() == nil {
			// What was stopped earlier is cleaned up: now to what is asked for.
			e.tidied, e.issue, e.ends = false, nil, e.ends[:before]
			continue
		}
		if !wantsMore(e, before) {
			return e.ends, e.bad
		}
	}
}

// takeSteps takes one step after the other until the session ends or is parked.
func takeSteps(ctx context.Context, e *Engine, hold *step.Lease) error {
	for {
		if err := hold.Check(); err != nil {
			return err
		}
		again, err := takeStep(ctx, e)
		switch {
		case errors.Is(err, context.Canceled):
			return stopDrive(ctx, e)
		case err != nil || !again || e.bad != nil:
			return err
		}
	}
}

// wantsMore tells whether another session is to be begun: the last one gave its
// requirement up, and that keeps no other from being worked on.
func wantsMore(e *Engine, before int) bool {
	if e.Once || e.Issue != "" || e.Only || e.bad != nil || len(e.ends) == before {
		return false
	}
	r := e.ends[len(e.ends)-1].Result
	e.issue = nil
	return r == evidence.Partly || r == evidence.Failed
}

// takeStep does one phase's work and fires what comes of it. It tells whether there
// is more to do.
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
	if slices.Contains(branched, t.s.Phase) {
		if err := checkBranch(t); err != nil {
			return e.parkDrive(t.s, err)
		}
	}
	e.until = e.Now().Add(t.s.Used(e.Now()).SessionLeft(e.cfg.Limits))
	e.taker.ShowBounds(e.until)
	if err := loadIssue(ctx, t); err != nil {
		return e.parkDrive(t.s, err)
	}
	if e.issue != nil {
		e.issue.branch = t.s.BranchName()
	}
	if err := askForPhase(ctx, t); err != nil {
		return e.parkDrive(t.s, err)
	}
	m, err := do(ctx, t)
	if refused := e.Conductor.Refused(); refused != nil {
		err = refused // also where the step could do without what it was refused
	}
	if err != nil {
		return e.parkDrive(t.s, err)
	}
	if m.on == "" { // it moved the drive itself
		return true, nil
	}
	return fireEvent(ctx, t, m)
}

// parkDrive ends the run without moving the drive, and says why. Errors that no one
// decides about end it too, as they are.
func (e *Engine) parkDrive(s *drivestate.State, err error) (bool, error) {
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
	caps := advisedCaps(e.ledger, s, e.Caps)
	e.recordOutcome(s, evidence.Outcome{Result: p.result, Why: p.why, Do: evidence.RepeatCaps(p.do, caps), Caps: caps})
	if p.result == evidence.Person && s.Phase.Trips() {
		if err := e.Drive.Sleep.Park(); err != nil {
			e.remark("the time until a person acts is charged to the budget: %v", err)
		}
	}
	return false, nil
}

// waitForContinue waits for the person who paused the drive.
func waitForContinue(ctx context.Context, e *Engine, s *drivestate.State) error {
	e.tell(Note{Kind: Waiting, Text: "paused since " + s.Paused.At + "; warp continue resumes it", Until: e.Now().Add(time.Hour)})
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
