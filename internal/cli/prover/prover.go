// Package prover puts together what establishes the facts of a drive that a session or
// a script moves: tracker, clean rooms, documentation, dev environment. No agent is run.
package prover

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/cli/dev"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/leaks"
	"warp/internal/cli/state"
	"warp/internal/cli/tracker"
	engine "warp/internal/engine/drive"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// State makes warp state with a prover.
func State(a *app.App) *cobra.Command {
	return state.Make(a, &state.Net{
		Open: func(ctx context.Context, a *app.App, d *turnstile.Drive) (state.Prover, error) {
			return Open(ctx, a, d)
		},
		User: findUser,
	})
}

// findUser is whom GitHub takes us for, by the token.
func findUser(ctx context.Context, a *app.App, d *turnstile.Drive) string {
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return "" // a session needs no tracker to begin
	}
	return forge.GitHubUser(ctx, t)
}

// Open makes the prover of a drive.
func Open(ctx context.Context, a *app.App, d *turnstile.Drive) (*engine.Prover, error) {
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	tree, err := work.Open(d.Root())
	if err != nil {
		return nil, err
	}
	issues, err := tracker.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	rooms, err := boxes.Rooms(a, d.Root(), settings)
	if err != nil {
		return nil, err
	}
	env, err := dev.Environment(a, d)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	e := &engine.Engine{Rooms: rooms, Leaks: leaks.Scanner(a, d), Ports: engine.Ports{
		Drive: d, Tracker: issues, Work: tree, Redact: leaks.Redactor(a, d).String, Docs: drivecmd.Documents(d.Root()), Dev: env,
		Tell: tell(a), Passed: app.NewKillPoint(a.Getenv), Now: a.Env.Now, Process: step.Process{PID: a.Env.PID, Host: host},
	}}
	e.State, _ = trust.Folder(a.Getenv) // else nothing is kept of which tests a tree has
	return engine.NewProver(ctx, e)
}

// tell passes remarks on, and says what takes long while it does.
func tell(a *app.App) func(engine.Note) {
	return func(n engine.Note) {
		if n.Kind == engine.Remark || n.Kind == engine.Tested && n.Passed == nil {
			a.Notes([]string{n.Text})
		}
	}
}
