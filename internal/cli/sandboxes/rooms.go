package sandboxes

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
	"warp/internal/engine/place"
	"warp/internal/engine/room"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// Rooms opens a project's clean rooms; nil without a repository. The setup command comes from
// the settings or the base commit, so it is the user's and runs as they would run it.
func Rooms(a *app.App, d *turnstile.Drive, s config.Settings) (judge.Rooms, error) {
	rooms, confine, err := openRooms(a, d, s)
	if err != nil || rooms == nil {
		return nil, err
	}
	return func(ctx context.Context, tree, base string) (judge.Room, error) {
		if err := confine(); err != nil {
			return nil, err
		}
		m, err := rooms.Enter(ctx, tree, base)
		if app.IsA[*room.WorkError](err) {
			return nil, &judge.UnusableWorkError{Err: err}
		}
		return m, err
	}, nil
}

// Furnish copies dependencies into a separate work tree, as a clean room has them. If that fails
// it leaves a note and the agent installs them.
func Furnish(a *app.App, d *turnstile.Drive, s config.Settings, tell func(text string)) place.Furnish {
	return func(ctx context.Context, tree gitwrite.Tree, commit, base string) error {
		rooms, confine, err := openRooms(a, d, s)
		if err == nil && rooms != nil {
			err = confine()
		}
		if err != nil || rooms == nil {
			return err
		}
		keptBack, err := rooms.Furnish(ctx, tree.Top(), commit, base)
		if len(keptBack) > 0 {
			tell("not in the work tree " + tree.Top() + ", because git does not ignore it there and would commit it: " + text.Quote(keptBack, 5))
		}
		if err != nil && ctx.Err() == nil {
			tell("the work tree " + tree.Top() + " has no installed dependencies: " + err.Error())
			return place.ErrUnfurnished
		}
		return err
	}
}

// openRooms opens the rooms; confine sets up their sandbox on demand, since some runs judge
// nothing.
func openRooms(a *app.App, d *turnstile.Drive, s config.Settings) (rooms *room.Rooms, confine func() error, err error) {
	root := d.Root()
	place, ok := git.Locate(root)
	if !ok {
		return nil, nil, nil
	}
	at, err := d.Project.Repository()
	if err != nil {
		return nil, nil, err
	}
	prefix, err := filepath.Rel(place.Top, root)
	if err != nil {
		return nil, nil, err
	}
	if prefix == "." {
		prefix = ""
	}
	main := root // worktree_copy refers to the main work tree
	if filepath.Base(place.Common()) == ".git" {
		main = filepath.Join(filepath.Dir(place.Common()), prefix)
	}
	home := a.Getenv("HOME")
	cache := cmp.Or(a.Getenv("XDG_CACHE_HOME"), filepath.Join(home, ".cache"))
	if home == "" && cache == ".cache" {
		return nil, nil, errors.New("HOME is not set, so there is no folder for the clean rooms that tests run in")
	}
	rooms = &room.Rooms{
		Repo: at.Repo(place.Top), Common: place.Common(), Root: main, Prefix: filepath.ToSlash(prefix), Cache: filepath.Join(cache, "warp-drive"),
		Setup: room.Setup{Command: s.WorktreeSetup, Copy: s.WorktreeCopy, Run: setUp},
	}
	return rooms, sync.OnceValue(func() (err error) {
		rooms.Walls, _, err = Open(a, root, s)
		return err
	}), nil
}

// mostSaid bounds what is shown of a failed setup, in lines: npm says what is wrong first, and how it
// is used at length.
const mostSaid = 15

func firstLines(said string) string {
	lines := strings.SplitN(strings.TrimSpace(said), "\n", mostSaid+1)
	return strings.Join(lines[:min(len(lines), mostSaid)], "\n")
}

// setUp runs the setup command of a room.
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
		err = errors.New(firstLines(string(res.Output)))
	}
	return err
}
