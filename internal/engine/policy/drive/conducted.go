package drive

import (
	"context"
	"errors"
	"slices"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/step"
)

// agentPhases are the phases that may start agents: to plan, to code, to verify what was coded or
// what hooks changed, and to resolve conflicts.
var agentPhases = []drivestate.Phase{drivestate.Planning, drivestate.Coding, drivestate.Testing, drivestate.Merging}

// allowance is what a phase's agents may spend, besides the drive's own budgets.
type allowance struct {
	microUSD int64 // 0: unlimited
	before   int64 // spent when the phase began
}

// askForPhase asks the conductor whether the next phase may begin.
func askForPhase(ctx context.Context, t *turn) error {
	if t.Conductor == nil {
		return nil
	}
	spent := conduct.Spent{Tokens: t.spent.Tokens(), MicroUSD: t.spent.MicroUSD}
	r, err := t.Conductor.Ask(ctx, conduct.Say{Kind: conduct.Phase, Phase: string(t.s.Phase), Agent: slices.Contains(agentPhases, t.s.Phase), Spent: spent, Windows: listWindows(t.Engine)})
	t.allowed, t.limit = allowance{r.MicroUSD, spent.MicroUSD}, nil
	return err
}

// listWindows returns the usage of the account's windows, by which the fleet paces itself.
func listWindows(e *Engine) (list []conduct.Window) {
	for _, w := range e.Windows() {
		list = append(list, conduct.Window{Name: w.Name, Percent: w.Percent, Reset: w.Reset.UTC()})
	}
	return list
}

// boundPhase bounds a phase's runs by the conductor's allowance, within the drive's own budgets.
func boundPhase(e *Engine, whole *step.Bounds) *step.Bounds {
	if e.Conductor == nil {
		return whole
	}
	return &step.Bounds{Within: whole,
		Raised: func() budget.Amount { return budget.Amount{MicroUSD: e.allowed.microUSD} },
		Spent:  func(time.Time) budget.Amount { return budget.Amount{MicroUSD: e.spent.MicroUSD - e.allowed.before} }}
}

// errAllowance ends a phase that spent its allowance. The phase then asks for more.
var errAllowance = errors.New("what the fleet allowed for this phase is spent")

// explainConducted returns the errors that only a conducted drive has: a run that met a limit moves
// to another account, and one that spent its phase's allowance asks for more.
func explainConducted(t *turn, a step.Answer) error {
	if t.Conductor == nil {
		return nil
	}
	if a.Limited {
		t.limit = &conduct.Limit{Text: a.Why}
		if !a.Reset.IsZero() {
			t.limit.Until = a.Reset.UTC().Format(time.RFC3339)
		}
		return needsPerson(adviceForAgent(a), "%s: %s", a.Agent, a.Why)
	}
	if _, left := t.taker.Bounds.Within.Left(t.Now()); a.End == agent.Budgeted && t.allowed.microUSD > 0 && left && t.overspent == "" {
		return errAllowance
	}
	return nil
}

// parkConducted handles the errors that only a conducted drive has; handled is false for others.
func parkConducted(e *Engine, s *drivestate.State, err error) (again, handled bool) {
	var refused *conductor.RefusedError
	switch {
	case errors.Is(err, errAllowance):
		return true, true
	case errors.As(err, &refused):
		o := evidence.Outcome{Issue: s.Issue(), Epoch: s.Session.StartedAtEpoch, Branch: s.BranchName(), Result: evidence.Stopped, Why: e.Redact(refused.Error()), Do: "it resumes where it is: warp resume"}
		if last, known := evidence.Last(e.evidenceOfIssue(s).Outcomes, nil); known && last.Row.Result.Good() {
			e.reportOutcome(o) // the work has landed; only its summary is missing
		} else {
			e.recordOutcome(s, o)
		}
		return false, true
	}
	return false, false
}

// Limited returns the account limit that ended the run, or nil.
func (e *Engine) Limited() *conduct.Limit { return e.limit }
