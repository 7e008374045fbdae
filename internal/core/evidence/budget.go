package evidence

import (
	"slices"

	"warp/internal/core/drivestate"
)

// BudgetAdvice returns what a person can do about a drive whose budget is spent.
func BudgetAdvice(s *drivestate.State) string {
	if !s.Budgets.CanContinue() {
		return "warp stop; nothing was coded yet"
	}
	reasons, more := s.Budgets.ExceededReasons, ""
	if slices.ContainsFunc(reasons, func(r string) bool { return r != drivestate.CostExceeded && r != drivestate.TimeExceeded }) {
		more = " --fresh"
	}
	if slices.Contains(reasons, drivestate.CostExceeded) {
		more += " --max-cost MORE"
	}
	if slices.Contains(reasons, drivestate.TimeExceeded) {
		more += " --max-time MORE"
	}
	return "warp resume" + more + " grants a new budget, warp stop ends the drive"
}
