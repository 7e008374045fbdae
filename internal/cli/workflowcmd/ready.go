package workflowcmd

import (
	"context"
	"errors"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// checkReady finds what would end a workflow after its first agent was paid: no agent that can be
// started, or a remote that does not answer. Tasks that name other agents report them themselves.
func checkReady(ctx context.Context, a *app.App, d *turnstile.Drive, settings config.Settings, tree gitwrite.Tree, o options) error {
	r, err := findAgent(a, d, settings, o, "")
	if err != nil {
		return err
	}
	if err = r.CheckInstalled(); err == nil {
		err = r.CheckLogin(ctx)
	}
	var missing *agent.MissingError
	if errors.As(err, &missing) {
		a.Note("needs a person: %v; warp agent list shows what is missing", missing)
		return &app.Silent{Code: app.Human}
	}
	if err != nil {
		return err
	}
	remote, has, err := tree.Remotes().Choose(ctx)
	if err != nil || !has {
		return err
	}
	if err := tree.Remotes().Ping(ctx, remote); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a.Note("needs a person: %s; git ls-remote %s until it answers, then try again", text.OneLine(err.Error()), remote)
		return &app.Silent{Code: app.Human}
	}
	return nil
}
