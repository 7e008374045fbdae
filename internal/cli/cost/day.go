package cost

import (
	"context"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/tokens"
	"warp/internal/turnstile"
)

// ShortRuns is how old, for runs that may be short, the answer may be that the
// day's budget is not used up: reading all journals and transcripts costs more than
// such a run.
const ShortRuns = time.Minute

// DayUsed says which of the settings' budgets for a day is used up, "" when none
// is; nil when none is set. It is called before each run; an answer that none is
// holds until it is older than most.
func DayUsed(a *app.App, d *turnstile.Drive, w config.Workflow, most time.Duration) func(context.Context) (string, error) {
	limits := tokens.Limits{Day: tokens.LimitsOf(w).Day}
	if limits == (tokens.Limits{}) {
		return nil
	}
	var mu sync.Mutex
	var last time.Time
	return func(ctx context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		now := a.Env.Now()
		if !last.IsZero() && now.Sub(last) < most {
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
		_, stop := tokens.Check(tokens.Spent{Day: day}, limits)
		if stop == "" {
			last = now
		}
		return stop, nil
	}
}
