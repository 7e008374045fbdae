package evidence

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
)

// capFlags maps the reason that a limit was reached to the flag that sets it.
var capFlags = []struct{ reason, flag string }{
	{drivestate.CostExceeded, "--max-cost"},
	{drivestate.TokensExceeded, "--max-tokens"},
	{drivestate.TimeExceeded, "--max-time"},
}

// BudgetAdvice returns what a person can do about a drive whose budget is spent.
func BudgetAdvice(s *drivestate.State) string {
	if !s.Budgets.CanContinue() {
		return "warp stop; nothing was coded yet"
	}
	reasons, fresh, more := s.Budgets.ExceededReasons, len(s.Budgets.ExceededReasons), ""
	for _, c := range capFlags {
		if slices.Contains(reasons, c.reason) {
			more += " " + c.flag + " MORE"
			fresh--
		}
	}
	if fresh > 0 {
		more = " --fresh" + more
	}
	return "warp resume" + more + " grants a new budget, warp stop ends the drive"
}

// RepeatCaps has advice to resume repeat the limits that the command line gave: without them
// the drive would go on with none. One that the advice has raised already is not repeated.
func RepeatCaps(advice string, caps budget.Amount) string {
	given := []string{"", "", ""}
	if caps.MicroUSD > 0 {
		given[0] = strconv.FormatFloat(float64(caps.MicroUSD)/1e6, 'f', -1, 64)
	}
	if caps.Tokens > 0 {
		given[1] = strconv.FormatInt(caps.Tokens, 10)
	}
	if caps.Time > 0 {
		given[2] = writeTime(caps.Time)
	}
	more := ""
	for i, c := range capFlags {
		if given[i] != "" && !strings.Contains(advice, c.flag) {
			more += " " + c.flag + " " + given[i]
		}
	}
	return strings.Replace(advice, "warp resume", "warp resume"+more, 1)
}

// writeTime writes a duration as a person would: 2h, not 2h0m0s.
func writeTime(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
