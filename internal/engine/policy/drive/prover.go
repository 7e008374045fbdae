package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// Prover verifies events when a session or a script moves a drive, with the same steps the engine
// takes. Inside Claude Code an agent's word was once enough, and a drive with red tests and an
// empty commit ended as completed.
type Prover struct {
	e      *Engine
	tested string // the tree that passed the tests
}

// NewProver returns the prover of a drive. Its engine runs no agents.
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

// claim is an event that a session or a script reports.
type claim struct {
	on   drivestate.Event
	data drivestate.Data
}

// proofs verify claims. A *parked error says what is missing, and how to supply it.
var proofs = map[drivestate.Event]func(context.Context, *turn, claim) error{
	drivestate.PrerequisitesOK:   provePrerequisites,
	drivestate.WorkSelected:      proveSelected,
	drivestate.NoWork:            proveNoWork,
	drivestate.ChunksDefined:     proveChunks,
	drivestate.CodeComplete:      proveTested, // no box is ticked before the tests passed
	drivestate.TestsPassed:       proveTested,
	drivestate.Committed:         proveCommitted,
	drivestate.CommitWithDocGate: proveCommitted,
	drivestate.DriftClean:        proveNoDrift,
	drivestate.ReportFiled:       proveReported,
	drivestate.RequirementDone:   proveDone,
	drivestate.MergeReady:        proveReady,
	drivestate.Merged:            proveMerged,
	drivestate.SessionEnded:      proveEnded,
}

// Gates returns the gate that verifies an event, besides the event's own gates.
func (p *Prover) Gates(on drivestate.Event, data drivestate.Data) []turnstile.Gate {
	prove := proofs[on]
	if prove == nil {
		return nil
	}
	g := turnstile.Gate{Name: "proof", When: turnstile.First, Run: func(ctx context.Context, s *drivestate.State) (string, error) {
		err := proveOnBranch(ctx, &turn{p.e, s}, claim{on, data}, prove)
		if err == nil && on == drivestate.TestsPassed {
			p.tested = testedTree(&turn{p.e, s})
		}
		return "", errors.Join(explainUnproven(on, err), p.e.writeErr)
	}}
	if on == drivestate.TestsPassed {
		g.Tested = &p.tested
	}
	return []turnstile.Gate{g}
}

// proveOnBranch verifies a claim on the drive's own branch, for the issue as it is now.
func proveOnBranch(ctx context.Context, t *turn, c claim, prove func(context.Context, *turn, claim) error) error {
	if t.s.Phase != drivestate.Merging && slices.Contains(branchPhases, t.s.Phase) { // merging may leave the branch
		if err := checkBranch(t); err != nil {
			return err
		}
	}
	if err := loadIssue(ctx, t); err != nil {
		return err
	}
	return prove(ctx, t, c)
}

// explainUnproven phrases what is missing for the one who made the claim.
func explainUnproven(on drivestate.Event, err error) error {
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

// withAdvice appends what a person can do about an error.
func withAdvice(err error) error {
	var p *parked
	if !errors.As(err, &p) {
		return err
	}
	do, _, _ := strings.Cut(p.do, ", then warp")
	return fmt.Errorf("%s; %s", p.why, do)
}

// File files what the drive's present phase requires: a chunk's report, the pull request, or the
// session's summary. What is already there is not filed again.
func (p *Prover) File(ctx context.Context, what string) error {
	v, err := p.e.Drive.Read()
	if err != nil {
		return err
	}
	t := &turn{p.e, v.State}
	phase := map[string]drivestate.Phase{"report": drivestate.Reporting, "pull": drivestate.Merging, "summary": drivestate.SessionEnding}[what]
	if t.s.Phase != phase {
		return fmt.Errorf("the %s is filed in phase %s, and the drive is in %s", what, phase, t.s.Phase)
	}
	if err := loadIssue(ctx, t); err != nil {
		return withAdvice(err)
	}
	switch what {
	case "report":
		if err = recordSeen(ctx, t); err == nil {
			err = t.desk().FileReport(ctx)
		}
	case "pull":
		err = filePull(ctx, t)
	case "summary":
		if err = t.desk().FileSummary(ctx); err == nil {
			err = t.desk().FileLearned(ctx)
		}
	}
	return errors.Join(withAdvice(err), p.e.writeErr)
}

// recordSeen records the chunk's commits that a hook has seen: it moved the drive, but it has no key,
// so what it writes proves nothing.
func recordSeen(ctx context.Context, t *turn) error {
	made, err := t.repo().Commits(t.s.BranchName(), t.s.MergeTarget)
	if err != nil {
		return err
	}
	for _, m := range slices.Backward(made) {
		_, known := evidence.Last(t.evidenceOfIssue(t.s).Commits, func(c evidence.Commit) bool { return c.Hash == m.Hash })
		if !known && slices.Contains(strings.Split(m.Message, "\n"), drivestate.Trailer(t.s, t.s.Chunk.Index)) {
			recordCommit(ctx, t, evidence.Commit{Hash: m.Hash, Subject: text.FirstLine(m.Message), Recovered: true})
		}
	}
	return nil
}

func filePull(ctx context.Context, t *turn) error {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err == nil {
		_, err = openPull(ctx, t, tip, "", false)
	}
	return err
}
