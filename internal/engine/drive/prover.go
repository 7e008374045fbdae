package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// Prover establishes what events state where a session or a script moves a drive, and
// not the engine: with the steps that the engine itself takes. Inside Claude Code an
// agent's word was once enough, and a drive with red tests and an empty commit ended
// as completed.
type Prover struct {
	e      *Engine
	tested string // the tree that the tests passed on
}

// NewProver makes the prover of a drive. The engine has no agents, and none is run.
func NewProver(ctx context.Context, e *Engine) (*Prover, error) {
	e.assemble()
	if err := readBook(e.ledger); err != nil {
		return nil, err
	}
	cfg, err := e.Drive.Project.Settings()
	if err != nil {
		return nil, err
	}
	e.cfg = cfg
	_, err = e.lander.FindRemote(ctx)
	return &Prover{e: e}, err
}

// claim is an event that a session or a script says is true.
type claim struct {
	on   drive.Event
	data drive.Data
}

// proofs establish claims. A *parked error says what is missing, and what supplies it.
var proofs = map[drive.Event]func(context.Context, *turn, claim) error{
	drive.PrerequisitesOK:   provePrerequisites,
	drive.WorkSelected:      proveSelected,
	drive.NoWork:            proveNoWork,
	drive.ChunksDefined:     proveChunks,
	drive.CodeComplete:      func(context.Context, *turn, claim) error { return nil }, // the branch alone
	drive.TestsPassed:       proveTested,
	drive.Committed:         proveCommitted,
	drive.CommitWithDocGate: proveCommitted,
	drive.DriftClean:        proveNoDrift,
	drive.ReportFiled:       proveReported,
	drive.RequirementDone:   proveDone,
	drive.MergeReady:        proveReady,
	drive.Merged:            proveMerged,
	drive.SessionEnded:      proveEnded,
}

// Gates are what an event has to pass besides its own gates: the fact that it states.
func (p *Prover) Gates(on drive.Event, data drive.Data) []turnstile.Gate {
	prove := proofs[on]
	if prove == nil {
		return nil
	}
	g := turnstile.Gate{Name: "proof", First: true, Run: func(ctx context.Context, s *drive.State) (string, error) {
		err := proveOnBranch(ctx, &turn{p.e, s}, claim{on, data}, prove)
		if err == nil && on == drive.TestsPassed {
			p.tested = testedTree(&turn{p.e, s})
		}
		return "", errors.Join(explainUnproven(on, err), p.e.bad)
	}}
	if on == drive.TestsPassed {
		g.Tested = &p.tested
	}
	return []turnstile.Gate{g}
}

// proveOnBranch proves a claim on the drive's own branch, about the issue as it is now.
func proveOnBranch(ctx context.Context, t *turn, c claim, prove func(context.Context, *turn, claim) error) error {
	if t.s.Phase != drive.Merging && slices.Contains(branched, t.s.Phase) { // a merge leaves the branch
		if err := checkBranch(t); err != nil {
			return err
		}
	}
	if err := loadIssue(ctx, t); err != nil {
		return err
	}
	return prove(ctx, t, c)
}

// explainUnproven says what is missing in the words of the one who claimed it.
func explainUnproven(on drive.Event, err error) error {
	var p *parked
	var issue *forge.Error
	switch {
	case errors.As(err, &p):
		do, _, _ := strings.Cut(p.do, ", then warp")
		return &turnstile.UnprovenError{Event: on, Why: p.why, Do: do}
	case errors.As(err, &issue):
		return &turnstile.UnprovenError{Event: on, Why: err.Error()}
	}
	return err
}

// withAdvice says what a person can do about what keeps a command from its work.
func withAdvice(err error) error {
	var p *parked
	if !errors.As(err, &p) {
		return err
	}
	do, _, _ := strings.Cut(p.do, ", then warp")
	return fmt.Errorf("%s; %s", p.why, do)
}

// File gives the tracker what a drive owes it in its present phase: the report of a
// chunk, the pull request, or the summary of the session. What it has is not filed again.
func (p *Prover) File(ctx context.Context, what string) error {
	v, err := p.e.Drive.Read()
	if err != nil {
		return err
	}
	t := &turn{p.e, v.State}
	phase := map[string]drive.Phase{"report": drive.Reporting, "pull": drive.Merging, "summary": drive.SessionEnding}[what]
	if t.s.Phase != phase {
		return fmt.Errorf("the %s is filed in phase %s, and the drive is in %s", what, phase, t.s.Phase)
	}
	if err := loadIssue(ctx, t); err != nil {
		return withAdvice(err)
	}
	switch what {
	case "report":
		err = t.desk().FileReport(ctx)
	case "pull":
		err = filePull(ctx, t)
	case "summary":
		if err = t.desk().FileSummary(ctx); err == nil {
			err = t.desk().FileLearned(ctx)
		}
	}
	return errors.Join(withAdvice(err), p.e.bad)
}

// filePull pushes the branch and opens the pull request.
func filePull(ctx context.Context, t *turn) error {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err == nil {
		_, err = openPull(ctx, t, tip)
	}
	return err
}
