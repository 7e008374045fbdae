package drivecmd

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/devcmd"
	"warp/internal/cli/leaks"
	"warp/internal/cli/sandboxes"
	"warp/internal/cli/state"
	"warp/internal/cli/tracker"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
)

// NewState returns warp state with a prover.
func NewState(a *app.App) *cobra.Command {
	return state.Make(a, &state.Net{
		Open: func(ctx context.Context, a *app.App, d *turnstile.Drive) (state.Prover, error) {
			return OpenProver(ctx, a, d)
		},
		User: findUser,
	})
}

// findUser returns the GitHub user of the token.
func findUser(ctx context.Context, a *app.App, d *turnstile.Drive) string {
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return "" // a session needs no tracker to begin
	}
	return forge.GitHubUser(ctx, t)
}

// OpenProver returns the prover of a drive: tracker, clean rooms, documentation, dev environment.
func OpenProver(ctx context.Context, a *app.App, d *turnstile.Drive) (*drive.Prover, error) {
	issues, err := tracker.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	e, err := ProverEngine(a, d, issues)
	if err != nil {
		return nil, err
	}
	env, err := devcmd.Environment(a, d)
	if err != nil {
		return nil, err
	}
	e.Docs, e.Dev = compareDocs(d.Root()), env
	return drive.NewProver(ctx, e)
}

// ProverEngine returns a drive's engine without agents.
func ProverEngine(a *app.App, d *turnstile.Drive, issues forge.Tracker) (*drive.Engine, error) {
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	tree, err := app.OpenTree(d)
	if err != nil {
		return nil, err
	}
	rooms, err := sandboxes.Rooms(a, d, settings)
	if err != nil {
		return nil, err
	}
	e := &drive.Engine{Rooms: rooms, Leaks: leaks.Scanner(a, d), Ports: drive.Ports{
		Drive: d, Tracker: issues, Work: tree, Redact: leaks.Redactor(a, d).String,
		Tell: tell(a), Passed: app.NewKillPoint(a.Getenv), Now: a.Env.Now, Process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
	}}
	e.State, _ = trust.Folder(a.Getenv) // if it fails, the tests of a tree are not cached
	return e, nil
}

// tell prints remarks, and announces long steps.
func tell(a *app.App) func(drive.Note) {
	return func(n drive.Note) {
		if n.Kind == drive.Remark || n.Kind == drive.Tested && n.Passed == nil {
			a.Note("%s", n.Text)
		}
	}
}
