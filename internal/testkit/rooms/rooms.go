// Package rooms opens the clean rooms of a test's project.
package rooms

import (
	"context"
	"path/filepath"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/engine/room"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// Open opens those of a repository, without a sandbox around what runs in them. Copied
// are patterns of files that they get besides.
func Open(t testing.TB, root string, copied ...string) judge.Rooms {
	t.Helper()
	if work, err := gitwrite.Open(root); err == nil {
		return OpenIn(t, work, copied...)
	}
	return open(t, git.Repo{Dir: root}, filepath.Join(root, ".git"), root, copied)
}

// OpenIn is Open for a repository that was already opened.
func OpenIn(t testing.TB, work gitwrite.Tree, copied ...string) judge.Rooms {
	t.Helper()
	return open(t, work.Repo(), work.Root().Common(), work.Dir, copied)
}

func open(t testing.TB, repo git.Repo, common, root string, copied []string) judge.Rooms {
	t.Helper()
	rooms := &room.Rooms{Repo: repo, Common: common, Root: root, Cache: t.TempDir(), Setup: room.Setup{Copy: copied,
		Run: func(context.Context, *room.Room, string, bool) error { return nil }}} // what tests need is there
	return func(ctx context.Context, tree, base string) (judge.Room, error) { return rooms.Enter(ctx, tree, base) }
}
