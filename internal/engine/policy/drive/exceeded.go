package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
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

// areTokensUp tells whether the tokens are spent, and not the money.
func areTokensUp(t *turn) bool {
	limit := budget.Amount{MicroUSD: t.Budget.MicroUSD}
	spent := t.taker.Bounds.Spent(t.Now())
	return t.Budget.Tokens > 0 && limit.Reached(spent) == "" && spent.Tokens >= t.Budget.Tokens
}

// leaveIssue ends the work on an issue; the session may go on with another.
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
