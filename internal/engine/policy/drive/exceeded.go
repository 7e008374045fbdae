package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/step"
)

// raiseLimit is the advice for a configured budget that is used up.
const raiseLimit = "wait, or raise the limit, then warp resume"

// noteOverspent records a budget that is used up, and returns why for the drive's state. Limits of
// the command line are not noted: more of them is asked for by their flags.
func noteOverspent(e *Engine, stop string) (reason string) {
	e.overspent = ""
	switch {
	case e.Caps.Tokens > 0 && strings.HasPrefix(stop, "max_session_tokens "):
		return drivestate.TokensExceeded
	case e.Caps.MicroUSD == 0 || !strings.HasPrefix(stop, "max_session_cost "):
		e.overspent = stop
	}
	return drivestate.CostExceeded
}

// handleExceeded handles a spent budget. A chunk's budget skips the chunk, so that it does not
// block the others; the session's budget ends the session, and a person can give more.
func handleExceeded(ctx context.Context, t *turn) (move, error) {
	b := t.s.Budgets
	if why := t.overspent; why != "" {
		t.overspent = ""
		return move{}, &parked{evidence.Budget, why, raiseLimit}
	}
	_, left := t.taker.Bounds.Left(t.Now())
	given := []string{drivestate.CostExceeded, drivestate.TokensExceeded, drivestate.TimeExceeded}
	paid := left && !isCapForgotten(t) && len(b.ExceededReasons) > 0 && len(text.Without(b.ExceededReasons, given)) == 0
	if (t.Fresh || paid) && t.s.Budgets.CanContinue() {
		t.Fresh = false
		return move{on: drivestate.BudgetContinue}, nil
	}
	beyond := text.Without(b.ExceededReasons, []string{drivestate.RetryExceeded, drivestate.CodingCyclesReached, drivestate.NoProgress})
	inChunk := slices.Contains([]drivestate.Phase{drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing, drivestate.DocDriftCheck}, b.ExceededFromPhase)
	if len(beyond) > 0 || !inChunk {
		return move{}, &parked{evidence.Budget, fmt.Sprintf("budget exceeded in %s: %s", b.ExceededFromPhase, drivestate.Spell(b.ExceededReasons)), evidence.BudgetAdvice(t.s)}
	}
	return move{}, skipChunk(ctx, t, fmt.Sprintf("%v", b.ExceededReasons))
}

// isCapForgotten reports whether a limit from the command line stopped the drive and this command
// gives none: without one it would continue with no limit at all.
func isCapForgotten(t *turn) bool {
	reasons := t.s.Budgets.ExceededReasons
	time, tokens := slices.Contains(reasons, drivestate.TimeExceeded), slices.Contains(reasons, drivestate.TokensExceeded)
	if time || tokens {
		return time && t.MaxTime == 0 || tokens && t.Budget.Tokens == 0
	}
	if t.Budget.MicroUSD > 0 || t.Budget.Tokens > 0 {
		return false
	}
	last, ended := evidence.Last(t.evidenceOfIssue(t.s).Outcomes, nil)
	return ended && last.Row.Result == evidence.Budget && strings.Contains(last.Row.Do, " MORE")
}

// areTokensUp reports whether the tokens are spent, and not the money.
func areTokensUp(t *turn) bool {
	limit := budget.Amount{MicroUSD: t.Budget.MicroUSD}
	spent := t.taker.Bounds.Spent(t.Now())
	return t.Budget.Tokens > 0 && limit.Reached(spent) == "" && spent.Tokens >= t.Budget.Tokens
}

// leaveIssue ends the work on an issue; the session may continue with another.
func leaveIssue(e *Engine) { e.issue, e.others = nil, e.spent.MicroUSD }

// boundedCost is what counts against the limit in money: max_session_cost is for each issue.
func boundedCost(e *Engine) int64 {
	if e.Caps.MicroUSD == 0 {
		return e.spent.MicroUSD - e.others
	}
	return e.spent.MicroUSD
}

// Spent is what the session has cost since it was begun or resumed here.
func (e *Engine) Spent() budget.Amount {
	u := e.spent.Spent()
	return budget.Amount{MicroUSD: u.MicroUSD - e.earlier.MicroUSD, Tokens: u.Tokens - e.earlier.Tokens}
}

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
var errAllowance = errors.New("the fleet's allowance for this phase is spent")

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
		o := evidence.Outcome{Issue: s.Issue(), Epoch: s.Session.StartedAtEpoch, Branch: s.BranchName(), Result: evidence.Stopped, Why: e.Redact(refused.Error()), Do: "to continue: warp resume"}
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
