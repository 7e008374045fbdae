package gitwrite

import (
	"context"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// HooksFolder returns the folder where git looks for hooks.
func (t Tree) HooksFolder(ctx context.Context) (string, error) {
	out, err := must(ctx, t.root.Top, git.Call{Args: []string{"rev-parse", "--git-path", "hooks"}, Hooks: true})
	dir := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if err == nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(t.root.Top, dir)
	}
	return dir, err
}
