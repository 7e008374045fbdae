package boxes

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/redact"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/room"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// Rooms opens the clean rooms of a project; nil where it has no repository. What
// makes them ready comes from the settings or from the base, and is run as the user
// would: it is theirs.
func Rooms(a *app.App, root string, s config.Settings) (judge.Rooms, error) {
	place, ok := git.Locate(root)
	if !ok {
		return nil, nil
	}
	repo, err := git.Open(place.Top)
	if err != nil {
		return nil, err
	}
	prefix, err := filepath.Rel(place.Top, root)
	if err != nil {
		return nil, err
	}
	if prefix == "." {
		prefix = ""
	}
	main := root // what worktree_copy names is in the main work tree
	if filepath.Base(place.Common()) == ".git" {
		main = filepath.Join(filepath.Dir(place.Common()), prefix)
	}
	home := a.Getenv("HOME")
	cache := cmp.Or(a.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	if home == "" && cache == ".cache" {
		return nil, errors.New("HOME is not set, so there is no folder for the clean rooms in which work is judged")
	}
	rooms := &room.Rooms{
		Repo: repo, Common: place.Common(), Root: main, Prefix: filepath.ToSlash(prefix), Cache: filepath.Join(cache, "warp-drive"),
		Setup: room.Setup{Command: s.WorktreeSetup, Copy: s.WorktreeCopy, Run: setUp},
	}
	confine := sync.OnceValue(func() (err error) { // when it is needed: some runs judge nothing
		rooms.Walls, _, err = Open(a, root, s)
		return err
	})
	return func(ctx context.Context, tree, base string) (judge.Room, error) {
		if err := confine(); err != nil {
			return nil, err
		}
		m, err := rooms.Enter(ctx, tree, base)
		var work *room.WorkError
		if errors.As(err, &work) {
			return nil, &judge.UnfitError{Err: err}
		}
		return m, err
	}, nil
}

// setUp makes a room ready.
func setUp(ctx context.Context, m *room.Room, line string, confined bool) (err error) {
	c := proc.Cmd{Argv: []string{"sh", "-c", line}, Dir: m.Dir, Env: redact.ForProject(os.Environ()), Timeout: judge.CommandTime}
	if confined {
		done := func() error { return nil }
		if c, done, err = m.Confine(c); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, done()) }()
	}
	res, err := proc.Run(ctx, c)
	if err == nil && res.Exit != 0 {
		err = errors.New(text.Opening(strings.TrimSpace(string(res.Output))))
	}
	return err
}
