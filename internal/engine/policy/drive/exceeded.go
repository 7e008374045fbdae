package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// raise is the way on from a budget of the settings.
const raise = "wait, or raise the limit, then warp resume"

// handleExceeded is what is done about a budget that is spent. A chunk that cannot be
// done is given up, so that it does not keep the others from being done; what is
// the session's own ends it, and a person gives more.
func handleExceeded(ctx context.Context, t *turn) (move, error) {
	b := t.s.Budgets
	if why := t.overspent; why != "" {
		t.overspent = ""
		return move{}, &parked{evidence.Budget, why, raise}
	}
	_, left := t.taker.Bounds.Left(t.Now())
	paid := left && !isCapForgotten(t) && len(b.ExceededReasons) > 0 && len(text.Without(b.ExceededReasons, []string{drivestate.CostExceeded, drivestate.TimeExceeded})) == 0
	if (t.Fresh || paid) && t.s.Budgets.CanContinue() {
		t.Fresh = false
		return move{on: drivestate.BudgetContinue}, nil
	}
	beyond := text.Without(b.ExceededReasons, []string{drivestate.RetryExceeded, drivestate.CodingCyclesReached, drivestate.NoProgress})
	inChunk := slices.Contains([]drivestate.Phase{drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing, drivestate.DocDriftCheck}, b.ExceededFromPhase)
	if len(beyond) > 0 || !inChunk {
		return move{}, &parked{evidence.Budget, fmt.Sprintf("budget exceeded in %s: %v", b.ExceededFromPhase, b.ExceededReasons), evidence.BudgetAdvice(t.s)}
	}
	return move{}, skipChunk(ctx, t, fmt.Sprintf("%v", b.ExceededReasons))
}

// isCapForgotten tells whether a limit of the command line stopped the drive, and this
// command names none: without one it would go on with no limit at all.
func isCapForgotten(t *turn) bool {
	if slices.Contains(t.s.Budgets.ExceededReasons, drivestate.TimeExceeded) {
		return t.MaxTime == 0
	}
	if t.Budget.MicroUSD > 0 || t.Budget.Tokens > 0 {
		return false
	}
	last, ended := evidence.Last(t.evidenceOfIssue(t.s).Outcomes, nil)
	return ended && last.Row.Result == evidence.Budget && strings.Contains(last.Row.Do, "--max-cost MORE")
}
