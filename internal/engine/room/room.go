// Package room is the clean room: a checkout, outside the project, of exactly the tree that is
// judged. Tests, gates and criteria run there, so that nothing an agent prepared besides its work
// can help them: ignored files, filters and attributes, caches, hooks, the user's environment.
//
// The engine makes it from git's objects alone. A project has one room per parallel judgement, in
// the user's cache folder; it is updated to the next tree by the differences, so that compilers'
// caches stay warm. What a run leaves in it is removed before the next. What else the tests need is
// installed from the base's own lock file, or as worktree_setup and worktree_copy say.
package room

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"warp/internal/durable"
	"warp/internal/engine/contain"
	"warp/internal/sys/git"
)

// Rooms are the clean rooms of one project.
type Rooms struct {
	Repo   git.Repo // of the project
	Common string   // its git folder
	Root   string   // the project's folder in the main work tree
	Prefix string   // Root relative to the top of a work tree
	Cache  string   // warp's folder in the user's cache
	Setup  Setup
	Walls  *contain.Walls // confine what runs; nil: nothing does

	known sync.Map // trees' manifests, and which objects are commits
}

// Room is a checkout for one judgement alone.
type Room struct {
	Dir  string // the project's folder in it
	Home string // a private home folder
	Tree string

	rooms  *Rooms
	top    string
	gitDir string // the engine's own
	lock   io.Closer
}

// slots is how many judgements of a project may run at once.
const slots = 16

// Enter brings a free room to a tree. The lock file of base, a commit or tree, decides what is
// installed: the work's changes to it are judged, not obeyed.
func (r *Rooms) Enter(ctx context.Context, tree, base string) (*Room, error) {
	room, err := r.find(tree, base)
	if err != nil {
		return nil, err
	}
	if err := room.prepare(ctx, tree, base); err != nil {
		return nil, errors.Join(err, room.Leave())
	}
	return room, nil
}

// find locks a free slot: one that has what the tree needs, else an unused one, else any. Trees
// with different lock files may alternate.
func (r *Rooms) find(tree, base string) (found *Room, err error) {
	sum := sha256.Sum256([]byte(r.Common + "\n" + r.Prefix))
	folder := filepath.Join(r.Cache, "rooms", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making a clean room: %w", err)
	}
	in := r.Setup.plan(r, tree, base)
	best := 0
	for n := range slots {
		dir := filepath.Join(folder, strconv.Itoa(n))
		lock, free := (durable.OS{}).TryLock(dir + ".lock") // ends with its process
		if !free {
			continue
		}
		top := filepath.Join(dir, "tree")
		m := &Room{Dir: filepath.Join(top, filepath.FromSlash(r.Prefix)), Home: filepath.Join(dir, "home"), rooms: r, top: top, gitDir: filepath.Join(dir, "git"), lock: lock}
		fit := m.fits(in)
		if fit <= best {
			_ = m.Leave()
			continue
		}
		if found != nil {
			_ = found.Leave()
		}
		if found, best = m, fit; fit == ready {
			break
		}
	}
	if found == nil {
		return nil, fmt.Errorf("all %d clean rooms are in use; warp status shows what is running", slots)
	}
	return found, nil
}

// How well a room fits a tree; higher is better.
const (
	usable = iota + 1 // it has something else installed
	unused
	ready
)

func (m *Room) fits(in installation) int {
	switch have := m.done().Key; {
	case in.isEmpty() && len(in.checks) == 0 || have == in.key:
		return ready
	case have == "":
		return unused
	}
	return usable
}

// Leave releases the room.
func (m *Room) Leave() error { return m.lock.Close() }

// Folder returns the project's folder in the room.
func (m *Room) Folder() string { return m.Dir }

// Report returns a file for a runner's test report. It is removed with the checkout's own git
// folder before the next run.
func (m *Room) Report() string { return filepath.Join(m.top, ".git", "warp-tests.xml") }

// Top returns the top of the checkout.
func (m *Room) Top() string { return m.top }

// prepare gives a room the content of a tree, and nothing else except what was set up.
func (m *Room) prepare(ctx context.Context, tree, base string) error {
	err := m.makeGitFolder(ctx, tree)
	if err == nil {
		err = prune(m.Home, "")
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(m.Home, "tmp"), 0o700)
	}
	if err != nil {
		return fmt.Errorf("making a clean room: %w", err)
	}
	if err := m.rooms.Setup.apply(ctx, m, tree, base); err != nil {
		return err
	}
	if err := m.checkOut(ctx, tree, base); err != nil {
		return err
	}
	m.Tree = tree
	return m.rooms.Setup.copyFiles(m)
}

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

// Left lists the files that are new or changed since the room was opened, relative to its top. What
// git ignores is not among them.
func (m *Room) Left(ctx context.Context) (files []string, err error) {
	if _, err := m.git(ctx, "update-index", "-q", "--ignore-submodules", "--really-refresh"); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"diff-files", "-z", "--name-only", "--diff-filter=MT", "--ignore-submodules=all"}, {"ls-files", "-z", "--others", "--exclude-standard"},
	} {
		out, err := m.git(ctx, args...)
		if err != nil {
			return nil, err
		}
		files = append(files, git.Split([]byte(out))...)
	}
	return files, nil
}
