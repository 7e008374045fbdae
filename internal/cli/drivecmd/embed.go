package drivecmd

import (
	"context"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
)

// Options are what another command asks of a drive of one issue.
type Options struct {
	Issue     string
	Agent     string
	Misbehave string
}

// Run drives one issue as warp drive does. What became of it is shown and
// recorded; the error has its exit code.
func Run(ctx context.Context, a *app.App, d *turnstile.Drive, o Options) error {
	return run(ctx, a, d, options{issues: []string{o.Issue}, parallel: 1, agent: o.Agent, misbehave: o.Misbehave})
}

// ShowPlan shows what warp drive would do, as --dry-run does.
func ShowPlan(ctx context.Context, a *app.App, d *turnstile.Drive) error {
	return run(ctx, a, d, options{parallel: 1, dryRun: true})
}
