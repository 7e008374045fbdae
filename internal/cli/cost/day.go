package cost

import (
	"context"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/usage"
	"warp/internal/turnstile"
)

// askAgain is how old the answer may be that the day's budget is not used up:
// reading all journals and transcripts costs more than a short run.
const askAgain = time.Minute

// DayUsed says which of the settings' budgets for a day is used up, "" when none
// is; nil when none is set.
func DayUsed(a *app.App, d *turnstile.Drive, w config.Workflow) func(context.Context) (string, error) {
	all := usage.LimitsOf(w)
	limits := usage.Limits{DayMicroUSD: all.DayMicroUSD, DayTokens: all.DayTokens}
	if limits == (usage.Limits{}) {
		return nil
	}
	var last time.Time
	return func(ctx context.Context) (string, error) {
		now := a.Env.Now()
		if !last.IsZero() && now.Sub(last) < askAgain {
			return "", nil
		}
		ledger, err := Ledger(a)
		if err != nil {
			return "", err
		}
		day, err := ledger.Day(ctx, d, a.Env)
		if err != nil {
			return "", err
		}
		_, stop := usage.Check(usage.Spent{Day: day}, limits)
		if stop == "" {
			last = now
		}
		return stop, nil
	}
}
