package cost

import (
	"context"

	"warp/internal/cli/app"
	"warp/internal/engine/usage"
	"warp/internal/turnstile"
)

// Record lets the ledger of tokens know of an event that was fired, with its
// error. The event stands in any case: what could not be recorded now
// is recorded with the next one.
func Record(ctx context.Context, a *app.App, d *turnstile.Drive, r turnstile.Result, fired error) {
	if fired != nil || r.State == nil || r.Tripped() || !usage.Recorded(r.Event) {
		return
	}
	l, err := Ledger(a)
	if err == nil {
		err = l.Delta(ctx, d, a.Env, r.State, r.Event)
	}
	if err != nil {
		a.Notes([]string{"the tokens so far are not recorded: " + err.Error()})
	}
}
