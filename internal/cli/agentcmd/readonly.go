package agentcmd

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/leaks"
	"warp/internal/core/budget"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// AskReadOnly runs a read-only task on the named or configured agents, under the guard all
// engines use: it reverts any change. It shows no events, only waits.
func AskReadOnly(ctx context.Context, a *app.App, d *turnstile.Drive, who string, t agent.Task) (res agent.Result, err error) {
	settings, err := d.Project.Settings()
	if err != nil {
		return res, err
	}
	chain, err := Chain(settings, d.Root(), who, "")
	if err != nil {
		return res, err
	}
	s := &screen{app: a, silent: true}
	runner, err := s.runner(a, d, chain)
	if err != nil {
		return res, err
	}
	remark := func(format string, args ...any) { a.Note(format, args...) }
	scope := guard.Scope{Owner: "look", Label: "look", Report: func(f guard.Finding) { remark("%s", f.Text) }}
	looks, err := guardLook(ctx, a, d, scope, remark)
	if err != nil {
		return res, err
	}
	taker := &step.Taker{
		Agents: func(string) (step.Agents, error) { return screenRunner{runner, s}, nil }, Guard: looks, Remark: remark,
		Redact: leaks.Redactor(a, d).String, Passed: func(string) {}, Now: a.Env.Now,
		Bounds: &step.Bounds{Idle: t.Idle, Spent: func(time.Time) budget.Amount { return budget.Amount{} }},
		Record: func(r step.Ran) error { res = r.Result; return nil },
	}
	t.Dir, t.Level, t.ReadOnly = d.Root(), settings.Level, true
	_, err = taker.Run(ctx, step.Step{Task: t, Scope: scope})
	return res, err
}

// guardLook returns the guard; nil without a repository.
func guardLook(ctx context.Context, a *app.App, d *turnstile.Drive, scope guard.Scope, remark func(string, ...any)) (*guard.Guard, error) {
	o := guard.Options{Root: d.Root(), Store: d.Store(), Name: "look", Now: a.Env.Now, Remark: remark}
	if main := filepath.Dir(d.Project.Home().Dir()); main != d.Root() {
		o.Main = main
	}
	o.State, _ = trust.Folder(a.Getenv) // if it fails, copies stay in the git folder
	g, err := guard.New(o)
	if errors.Is(err, git.ErrNotRepo) {
		return nil, nil
	}
	if err == nil {
		_, err = g.Recover(ctx, scope)
	}
	return g, err
}

// screenRunner runs a task as warp agent run does.
type screenRunner struct {
	runner *agent.Runner
	screen *screen
}

func (q screenRunner) Run(ctx context.Context, t agent.Task) (agent.Result, error) {
	return ask(ctx, q.runner, q.screen, t)
}
