package room

import (
	"context"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// Taken returns the tree with a run's changes to its files, in the project's own repository,
// without new and removed files. The index is the engine's: what ran in the room could not write
// it, and git follows no link.
func (m *Room) Taken(ctx context.Context) (string, error) {
	if _, err := m.git(ctx, "update-index", "-q", "--ignore-submodules", "--really-refresh"); err != nil {
		return "", err
	}
	out, err := m.git(ctx, "diff-files", "-z", "--name-only", "--diff-filter=M", "--ignore-submodules=all")
	if err != nil || out == "" {
		return m.Tree, err
	}
	call := func(stdin []byte, args ...string) (string, error) {
		c := git.Call{Args: args, Stdin: stdin, Limit: checkoutTime, Env: append(m.env(), "GIT_OBJECT_DIRECTORY="+filepath.Join(m.rooms.Common, "objects"))}
		text, err := git.Repo{Dir: m.top}.Must(ctx, c)
		return strings.TrimSpace(string(text)), err
	}
	if _, err := call([]byte(out), "update-index", "-z", "--stdin"); err != nil {
		return "", err
	}
	return call(nil, "write-tree", "--missing-ok")
}
