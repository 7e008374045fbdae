package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// lane is where commits are made: a separate branch in a separate work tree, so that parallel work
// does not mix and a person can keep working in theirs. The result lands on its target. In a
// repository without a commit no work tree can be made, and the session commits where the person
// works.
type lane struct {
	run    *run
	place  string       // the name of its work tree; "": the person's own
	branch string       // "": whatever is checked out there
	target string       // "": it does not land
	onto   *guard.Guard // guards the work tree of the target
	guard  *guard.Guard
	land   *land.Lander
}

// lanes are a session's lanes: its own, and those of parallel stages.
type lanes struct {
	run *run
	own *lane // nil: nothing is committed
}

func (w *lanes) newLane(g *guard.Guard) *lane {
	r := w.run
	points := map[string]string{"committed in git": "committed", "target moved": "landed"}
	return &lane{run: r, guard: g, land: &land.Lander{Work: g.Work, Guard: g, Leaks: r.Checks.Leaks, Home: r.Home, Process: r.Process, Remark: r.remark, Now: r.Now,
		Moved: r.Landing.Moved, Passed: func(point string) {
			if points[point] != "" {
				r.Passed(points[point])
			}
		},
		Hooks: land.Hooks{Began: func() string { return r.shield.recordedBase(0) }, CommandSetup: r.commandSetup()}}}
}

// enterWorkTree switches to where the session commits. free releases what it reserves.
func (w *lanes) enterWorkTree(ctx context.Context) (free func(), err error) {
	r := w.run
	s, free := r.doc.Now(), func() {}
	if w.own == nil {
		return free, nil
	}
	if s.Branch == "" {
		file := filepath.Join(filepath.Dir(w.own.guard.TurnFile()), "sessions.lock")
		return step.TakeTurn(ctx, file, "another session commits in this work tree", r.remark)
	}
	r.shield.branches = []string{s.Branch, s.BeganOn}
	if err := w.own.restoreCheckout(ctx, s); err != nil {
		return free, err
	}
	from, err := r.shield.tip(s.BeganOn)
	if s.BeganOn == "" || err == nil && from == "" {
		from, err = w.own.land.Work.Repo().Head()
	}
	if err != nil {
		return free, err
	}
	l, err := w.openLane(ctx, placeOf(s.Branch), s.Branch, from, "")
	if err != nil {
		return free, err
	}
	r.Passed("branch_made")
	if l.onto = w.own.guard; r.Landing.On {
		l.target = s.BeganOn
	}
	w.own, r.dir, r.shield.guard = l, l.guard.Root, l.guard
	return free, nil
}

// openLane creates or finds a work tree with its branch, for one of the session's members.
func (w *lanes) openLane(ctx context.Context, name, branch, from, member string) (*lane, error) {
	r := w.run
	if _, err := r.shield.places.Make(ctx, name, branch, from); err != nil {
		return nil, err
	}
	g, err := r.shield.openPlace(ctx, name, member)
	if err != nil {
		return nil, err
	}
	l := w.newLane(g)
	l.place, l.branch = name, branch
	return l, nil
}

// restoreCheckout restores the branch the session began on if the session's own branch is checked
// out in the person's work tree: sessions of an earlier version worked there.
func (l *lane) restoreCheckout(ctx context.Context, s *sessionstate.State) error {
	on, err := l.land.Work.Repo().Branch()
	if err != nil || on != s.Branch || s.BeganOn == "" || on == s.BeganOn {
		return err
	}
	free, err := step.TakeTurn(ctx, l.guard.TurnFile(), "another agent is working in this work tree", l.run.remark)
	if err != nil {
		return err
	}
	defer free()
	if err := l.land.Work.Branch(context.WithoutCancel(ctx), s.BeganOn, ""); err != nil {
		return fmt.Errorf("the session %[1]s works on %[2]s, which is checked out here: git switch %[3]s, then warp sessions resume %[1]s: %[4]w", s.Session, s.Branch, s.BeganOn, err)
	}
	return nil
}

// stopTime is how long a stopped session waits for the work tree.
const stopTime = 2 * time.Second

// leaveWorkTree leaves the session's work tree, and says where the commits are. It can be killed
// and repeated at any time. Uncommitted changes stay there while the session can be resumed; those
// of a complete session go to the person's work tree.
func (l *lane) leaveWorkTree(ctx context.Context, s *sessionstate.State, complete bool) error {
	if l == nil || s.Branch == "" {
		return nil
	}
	if ctx.Err() != nil { // stopped by a person, who does not want to wait
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
	}
	r, name := l.run, placeOf(s.Branch)
	if complete && r.shield.places.Exists(name) {
		if err := r.lanes.handOverSession(ctx, name, s.Branch); err != nil {
			return err
		}
	}
	r.Passed("handed_over")
	if r.shield.places.Exists(name) {
		if err := r.lanes.removePlace(ctx, name, s.Branch, false); err != nil {
			l.tell("%s", place.DescribeKept(r.Root, name, err))
		}
	}
	ahead, err := l.hasNewCommits(s)
	switch {
	case err != nil:
		return err
	case ahead:
		l.tell("%s has the commits: git merge %s", s.Branch, s.Branch)
		return nil
	case r.shield.places.Exists(name):
		return nil
	}
	if tip, err := r.shield.tip(s.Branch); err != nil || r.Landing.KeepBranch && tip != r.shield.recordedBase(0) {
		return err
	}
	return r.shield.places.DropBranch(context.WithoutCancel(ctx), s.Branch)
}

// removePlace removes a work tree without work in it, and its branch if drop is set.
func (w *lanes) removePlace(ctx context.Context, name, branch string, drop bool) error {
	r := w.run
	if err := r.reads.clearMirror(r.shield.projectIn(place.Path(r.Root, name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.shield.places.Remove(ctx, name, branch, drop)
}

func (l *lane) tell(format string, args ...any) {
	l.run.tell(Note{Kind: Branched, Text: fmt.Sprintf(format, args...)})
}

// handOverSession hands a complete session's uncommitted changes to the person's work tree.
func (w *lanes) handOverSession(ctx context.Context, name, branch string) error {
	r := w.run
	mine, err := guard.New(r.shield.options)
	if err != nil {
		return err
	}
	g, err := r.shield.openPlace(ctx, name, "")
	if err != nil {
		return err
	}
	return w.handOver(ctx, g, mine, branch, "left")
}

// handOver moves uncommitted changes from one work tree to another. If they collide with changes
// there, they are kept under a ref instead.
func (w *lanes) handOver(ctx context.Context, from, to *guard.Guard, branch, keep string) error {
	r := w.run
	tip, err := to.Work.Repo().Ref("refs/heads/" + branch)
	if err != nil {
		return err
	}
	tree, err := from.Snapshot()
	if err != nil {
		return err
	}
	paths, err := changedPaths(from, tip, tree)
	if err != nil || len(paths) == 0 {
		return err
	}
	free, err := step.TakeTurn(ctx, to.TurnFile(), "another agent is working in this work tree", r.remark)
	if err != nil {
		return err
	}
	defer free()
	now, err := to.Snapshot()
	if err != nil {
		return err
	}
	differ, err := changedPaths(to, tip, now)
	if err != nil {
		return err
	}
	if both := text.Without(paths, text.Without(paths, differ)); len(both) > 0 {
		kept := "session/" + r.Name + "/" + keep
		if err := to.Work.Keep(ctx, kept, tree); err != nil {
			return err
		}
		r.remark("changed and not committed; since it differs in %s, it is kept in refs/warp/%s: %s", to.Root, kept, text.Quote(paths, 5))
	} else if err := to.Work.Restore(ctx, tree, paths, true); err != nil {
		return err
	} else {
		r.remark("changed and not committed, now in %s: %s", to.Root, text.Quote(paths, 5))
	}
	return from.Work.Restore(ctx, tip, paths, true) // else the work tree could not be removed
}

// changedPaths returns the files in which a guard's snapshot differs from a commit. Snapshots leave
// out .claude, which a commit may contain: such files are not deletions.
func changedPaths(g *guard.Guard, commit, tree string) ([]string, error) {
	changes, err := g.Work.Repo().Trees().Changes(commit, tree)
	return slices.DeleteFunc(git.Paths(changes), func(path string) bool { return strings.Contains("/"+path, "/.claude/") }), err
}

// hasNewCommits reports whether the session's branch has commits that the branch it began on lacks.
func (l *lane) hasNewCommits(s *sessionstate.State) (bool, error) {
	repo := l.run.shield.places.Work.Repo() // the session's own work tree may be gone
	own, err := l.run.shield.tip(s.Branch)
	if err != nil || own == "" {
		return false, err
	}
	target, err := l.run.shield.tip(s.BeganOn)
	if s.BeganOn == "" {
		target, err = repo.Head()
	}
	if err != nil || target == "" {
		return true, err
	}
	in, err := repo.Descends(target, own)
	return !in, err
}
