// Package bounds holds the budgets beyond one piece of work, those of a project's
// day, against what was used: for sessions and workflows alike.
package bounds

import (
	"context"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/core/config"
	"warp/internal/core/usage"
	"warp/internal/turnstile"
)

// Day says which budget of the project's day is used up, "" when none is. It is
// asked before each run. Nil: the settings have no such budget.
func Day(a *app.App, d *turnstile.Drive, w config.Workflow) (func(context.Context) (string, error), error) {
	l := usage.LimitsOf(w)
	limits := usage.Limits{DayMicroUSD: l.DayMicroUSD, DayTokens: l.DayTokens}
	if limits == (usage.Limits{}) {
		return nil, nil
	}
	ledger, err := cost.Ledger(a)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (string, error) {
		day, err := ledger.Day(ctx, d, a.Env)
		if err != nil {
			return "", err
		}
		_, stop := usage.Check(usage.Spent{Day: day}, limits)
		return stop, nil
	}, nil
}
