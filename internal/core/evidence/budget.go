package evidence

import (
	"slices"
	"strconv"
	"strings"

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

// RepeatCaps has advice to go on repeat the limits that the command line gave: without them the
// drive would go on with none. One that the advice has raised already is not repeated. The issue is
// named with them, because they are not for everything else that a bare warp resume resumes.
func RepeatCaps(advice, issue string, caps budget.Caps) string {
	more := ""
	for pair := range slices.Chunk(caps.Flags(), 2) {
		if !strings.Contains(advice, pair[0]) {
			more += " " + strings.Join(pair, " ")
		}
	}
	for _, command := range []string{"warp resume", "warp drive"} {
		before, rest, found := strings.Cut(advice, command)
		if !found {
			continue
		}
		if named, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " "); isNumber(named) {
			command, rest = command+" "+named, rest[1+len(named):]
		} else if more != "" && isNumber(issue) {
			command += " " + issue
		}
		return before + command + more + rest
	}
	return advice
}

func isNumber(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil
}
