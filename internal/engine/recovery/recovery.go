// Package recovery brings back drives whose work tree, branch or state was lost,
// so that they are gone on with after their last committed chunk. It knows a
// drive by what it left elsewhere: commits, on this machine or on the remote, the
// journal of the main work tree, the tracker.
//
// Nothing is deleted. What has to make room is kept first, under
// refs/warp/recovered/ or beside where it was; where that cannot be done, nothing
// is. The tracker is only read. Going on is left to the drive.
package recovery

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// Worktrees is where drives have work trees of their own, under the project.
const Worktrees = ".claude/worktrees"

// engineLease is what an engine holds while it drives.
const engineLease = "warp-drive"

// Recovery looks after one repository.
type Recovery struct {
	Main    *turnstile.Drive // of the main work tree
	Tree    work.Tree        // the main work tree
	Tracker forge.Tracker    // nil: it is not asked
	Env     turnstile.Env
	Host    string

	cfg    config.Settings
	target string
	remote string // "": there is none
	book   *evidence.Book
	notes  []string
}

// Open prepares a recovery in the repository of a drive.
func Open(ctx context.Context, d *turnstile.Drive, tracker forge.Tracker, env turnstile.Env, host string) (*Recovery, error) {
	r := &Recovery{Main: d, Tracker: tracker, Env: env, Host: host, book: &evidence.Book{}}
	if root := filepath.Dir(d.Project.Home().Dir()); root != d.Root() {
		r.Main = turnstile.Open(root, env)
	}
	var err error
	if r.Tree, err = work.Open(r.Main.Root()); err != nil {
		return nil, err
	}
	if r.cfg, err = r.Main.Project.Settings(); err != nil {
		return nil, err
	}
	if r.target, err = r.Tree.Repo().MainBranch(); err != nil {
		return nil, err
	}
	if r.remote, _, err = r.Tree.Remote(ctx); err != nil {
		return nil, err
	}
	_, err = r.Main.Store().Events(func(row event.Row) bool { r.book.Take(row); return true })
	if err != nil && !durable.IsMissing(err) {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	return r, nil
}

func (r *Recovery) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// fetch brings what the remote has; that it cannot be reached is a note.
func (r *Recovery) fetch(ctx context.Context) {
	if r.remote == "" {
		return
	}
	if _, err := r.Tree.Fetch(ctx, r.remote); err != nil {
		r.note("%v; what was fetched before has to do", err)
	}
}

// Apart is where the drive of an issue has a work tree of its own.
func (r *Recovery) Apart(issue string) string {
	return filepath.Join(r.Main.Root(), filepath.FromSlash(Worktrees), "issue-"+issue)
}

// standing is a drive as its state has it.
type standing struct {
	*turnstile.Drive
	state *drive.State
	err   error // the state is there and cannot be read
}

// standings are the states of this repository: the main work tree's and those of
// drives with work trees of their own, also where git does not know them.
func (r *Recovery) standings() (list []standing) {
	roots := []string{r.Main.Root()}
	dirs, _ := filepath.Glob(filepath.Join(r.Main.Root(), filepath.FromSlash(Worktrees), "issue-*")) // the pattern is well-formed
	for _, root := range append(roots, dirs...) {
		if !turnstile.HasState(root) || strings.Contains(filepath.Base(root), setAside) {
			continue
		}
		s := standing{Drive: turnstile.Open(root, r.Env)}
		v, err := s.Read()
		if s.state, s.err = v.State, err; durable.IsMissing(err) {
			continue
		}
		list = append(list, s)
	}
	return list
}

// hold keeps an engine out of a work tree while it is changed.
func (r *Recovery) hold(d *turnstile.Drive) (release func(), err error) {
	stamp, _ := proc.Started(r.Env.PID)
	l, _, err := d.Store().Acquire(engineLease, durable.Process{PID: r.Env.PID, Stamp: stamp, Host: r.Host}, r.Env.Started)
	if err != nil {
		return nil, err
	}
	return func() { _ = l.Release() }, nil
}

// has tells whether an object, and for a commit all that it is made from, is in
// this repository.
func (r *Recovery) has(ctx context.Context, object string) bool {
	if !git.IsHash(object) {
		return false
	}
	a, err := r.Tree.Repo().Run(ctx, git.Call{Args: []string{"rev-list", "--objects", "--max-count=1", "--end-of-options", object, "--"}})
	return err == nil && a.Exit == 0
}

// line asks git for one line; "" when it has none.
func (r *Recovery) line(ctx context.Context, args ...string) string {
	a, err := r.Tree.Repo().Run(ctx, git.Call{Args: args})
	if err != nil || a.Exit != 0 {
		return ""
	}
	return strings.TrimSpace(string(a.Stdout))
}

func (r *Recovery) tip(ctx context.Context, ref string) string {
	return r.line(ctx, "rev-parse", "--verify", "-q", ref+"^{commit}")
}
