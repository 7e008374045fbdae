package clean

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/engine/agent"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// RemoveTree removes the work tree of a drive or workflow in which nothing is left. The output of
// its agents is kept in the project; where that fails, the work tree stays with it.
func RemoveTree(ctx context.Context, a *app.App, here gitwrite.Tree, dir string) error {
	root, inTree := FindProject(dir)
	store := turnstile.Open(inTree, a.Env).Store()
	// The dev server would write into the folder being removed.
	if err := takedown.Server(ctx, store, inTree, a.Env.Started); err != nil {
		return err
	}
	if err := agent.KeepRuns(store, turnstile.Open(root, a.Env).Store(), a.Env.Now); err != nil {
		return err
	}
	return here.RemoveWorktree(ctx, dir, true)
}

// FindProject returns the project that a separate work tree belongs to, and its folder in the work
// tree, which is another one than the work tree's if the project is in a subfolder of its repository.
func FindProject(dir string) (root, inTree string) {
	// The project may itself be in such a folder: only the last one is its own.
	root = filepath.FromSlash(strings.TrimSuffix(filepath.ToSlash(filepath.Dir(dir)), "/"+place.Folder))
	if at, ok := git.Locate(root); ok {
		if rel, err := filepath.Rel(at.Top, root); err == nil {
			if st, err := os.Stat(filepath.Join(dir, rel)); err == nil && st.IsDir() {
				return root, filepath.Join(dir, rel)
			}
		}
	}
	return root, dir
}
