package sessions

import (
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
)

// boundFlags are the totals that a session may use, as flags say.
type boundFlags struct {
	cost   float64
	tokens int64
	time   string
}

// Flags adds them to a command; what says what they are totals of.
func (b *boundFlags) Flags(c *cobra.Command, what string) {
	c.Flags().Float64Var(&b.cost, "max-cost", 0, "dollars at most, "+what)
	c.Flags().Int64Var(&b.tokens, "max-tokens", 0, "tokens at most, "+what)
	c.Flags().StringVar(&b.time, "max-time", "", "time at most, such as 2h, "+what)
}

func (b *boundFlags) amount() (limit budget.Amount, err error) {
	if b.time != "" {
		if limit.Time, err = budget.ParseTime(b.time); err != nil {
			return limit, &app.UsageError{Err: fmt.Errorf("--max-time: %q is not a time such as 90m or 2h", b.time)}
		}
	}
	limit.MicroUSD, limit.Tokens = int64(b.cost*1e6+0.5), b.tokens
	if b.cost < 0 || b.tokens < 0 || limit.Time < 0 {
		return limit, &app.UsageError{Err: fmt.Errorf("a limit must be greater than zero")}
	}
	return limit, nil
}
