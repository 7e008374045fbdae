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

// agentPhases may start agents: they plan, code, verify what was coded or what hooks have
// changed, and resolve conflicts.
var agentPhases = []drivestate.Phase{drivestate.Planning, drivestate.Coding, drivestate.Testing, drivestate.Merging}

// allowance is what the agents of a phase may spend, besides the drive's own budgets.
type allowance struct {
	microUSD int64 // 0: no bound
	before   int64 // what was spent when the phase began
}

// askForPhase asks the one who conducts the drive whether its next phase may begin.
func askForPhase(ctx context.Context, t *turn) error {
	if t.Conductor == nil {
		return nil
	}
	spent := conduct.Spent{Tokens: t.spent.Tokens(), MicroUSD: t.spent.MicroUSD}
	r, err := t.Conductor.Ask(ctx, conduct.Say{Kind: conduct.Phase, Phase: string(t.s.Phase), Agent: slices.Contains(agentPhases, t.s.Phase), Spent: spent, Windows: listWindows(t.Engine)})
	t.allowed, t.limit = allowance{r.MicroUSD, spent.MicroUSD}, nil
	return err
}

// listWindows tells the fleet how much of the account's windows is used, by which it paces
// itself.
func listWindows(e *Engine) (list []conduct.Window) {
	for _, w := range e.Windows() {
		list = append(list, conduct.Window{Name: w.Name, Percent: w.Percent, Reset: w.Reset.UTC()})
	}
	return list
}

// boundPhase makes what the conductor allows for a phase a bound of its runs, within the
// drive's own.
func boundPhase(e *Engine, whole *step.Bounds) *step.Bounds {
	if e.Conductor == nil {
		return whole
	}
	return &step.Bounds{Within: whole,
		Raised: func() budget.Amount { return budget.Amount{MicroUSD: e.allowed.microUSD} },
		Spent:  func(time.Time) budget.Amount { return budget.Amount{MicroUSD: e.spent.MicroUSD - e.allowed.before} }}
}

// errAllowance says that a phase has spent what it was allowed. It is asked for again.
var errAllowance = errors.New("what the fleet allowed for this phase is spent")

// explainConducted says of a run what only a drive that is conducted makes of it: one that
// met a limit goes to another account, and one that has spent its phase's allowance asks
// for more. Neither is the drive's end where no one conducts it.
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

// parkConducted is parkDrive for what only a conductor does; false: it is something else.
func parkConducted(e *Engine, s *drivestate.State, err error) (again, handled bool) {
	var refused *conductor.RefusedError
	switch {
	case errors.Is(err, errAllowance):
		return true, true
	case errors.As(err, &refused):
		o := evidence.Outcome{Issue: s.Issue(), Epoch: s.Session.StartedAtEpoch, Branch: s.BranchName(), Result: evidence.Stopped, Why: e.Redact(refused.Error()), Do: "it resumes where it is: warp resume"}
		if last, known := evidence.Last(e.evidenceOfIssue(s).Outcomes, nil); known && last.Row.Result.Good() {
			e.reportOutcome(o) // the work has landed, and only its summary is missing
		} else {
			e.recordOutcome(s, o)
		}
		return false, true
	}
	return false, false
}

// Limited is the limit of the account that ended the run; nil: none did.
func (e *Engine) Limited() *conduct.Limit { return e.limit }
