package branches

import (
	"context"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/engine/agent"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/place"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// RemoveTree removes the work tree of a drive or workflow in which nothing is left. The output of
// its agents is kept in the project; where that fails, the work tree stays with it.
func RemoveTree(ctx context.Context, a *app.App, here gitwrite.Tree, dir string) error {
	store := turnstile.Open(dir, a.Env).Store()
	// The dev server would write into the folder being removed.
	if err := takedown.Server(ctx, store, dir, a.Env.Started); err != nil {
		return err
	}
	// The project may itself be in such a folder: only the last one is its own.
	root := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(dir)), "/"+place.Folder)
	if err := agent.KeepRuns(store, turnstile.Open(filepath.FromSlash(root), a.Env).Store(), a.Env.Now); err != nil {
		return err
	}
	return here.RemoveWorktree(ctx, dir, true)
}
