package workflowstate

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/budget"
)

// Dollars formats a cost: $0.75, rounded to cents.
func Dollars(microUSD int64) string { return budget.Dollars(max(0, microUSD)) }

// dollarLimit formats a limit: $10, with as many digits as it needs.
func dollarLimit(microUSD int64) string {
	whole, rest := microUSD/1e6, microUSD%1e6
	if rest == 0 {
		return fmt.Sprintf("$%d", whole)
	}
	decimals := strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
	return fmt.Sprintf("$%d.%s", whole, decimals+strings.Repeat("0", max(0, 2-len(decimals))))
}

// elapsed formats the workflow's time: 0h 34m 8s.
func elapsed(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	return fmt.Sprintf("%dh %dm %ds", s/3600, s/60%60, s%60)
}

// taskTime formats a task's time: 15m 23s, with hours if any.
func taskTime(d time.Duration) string {
	text := elapsed(d)
	return strings.TrimPrefix(text, "0h ")
}

// timeLimit formats a limit: 2h, 1h 30m.
func timeLimit(d time.Duration) string {
	var parts []string
	for part := range strings.FieldsSeq(elapsed(d + time.Second - 1)) {
		if part[0] != '0' {
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return "0s"
	}
	return strings.Join(parts, " ")
}
