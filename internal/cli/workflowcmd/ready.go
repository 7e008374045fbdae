package workflowcmd

import (
	"context"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// checkReady finds what would end a workflow after its first agent was paid: no agent that can be
// started, or a remote that does not answer.
func checkReady(ctx context.Context, a *app.App, d *turnstile.Drive, settings config.Settings, tree gitwrite.Tree, tasks []taskdoc.Task, o options) error {
	if _, err := checkAgents(ctx, a, d, settings, tasks, o); err != nil {
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
