package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/project"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/detect"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
)

// baseRef returns the ref that keeps a unit's starting tree. Members of a stage share one.
func (s *shield) baseRef(i int) string {
	return "refs/warp/session/" + s.files.name + "/" + cmp.Or(s.files.units[i].block, s.files.units[i].stage.ID) + "-base"
}

// baseTree returns the work tree before a unit's first iteration, as a tree; "" without a
// repository. It is taken once, even across kills, and only after a person's own changes are known.
func (s *shield) baseTree(ctx context.Context, i int) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard == nil {
		return "", nil
	}
	if !s.claimed {
		t := &step.Taker{Guard: s.guard, Between: func(paths []string) error { return s.absorbPersonChanges(ctx, i, paths) }}
		if err := t.FindPersonChanges(ctx, s.scopeOf(s.guard, "", "claim")); err != nil {
			return "", err
		}
		s.claimed = true
	}
	if was := s.recordedBase(i); was != "" {
		return was, nil
	}
	tree, err := s.guard.Snapshot()
	if err == nil {
		err = s.setBaseTree(ctx, i, tree)
	}
	return s.recordedBase(i), err
}

func (s *shield) setBaseTree(ctx context.Context, i int, tree string) error {
	return s.guard.MoveRef(s.baseRef(i), func() (string, error) {
		err := s.places.Work.Keep(ctx, strings.TrimPrefix(s.baseRef(i), "refs/warp/"), tree)
		return s.recordedBase(i), err
	})
}

func (s *shield) dropBase(ctx context.Context, i int) error {
	if s.guard == nil || s.recordedBase(i) == "" {
		return nil
	}
	return s.places.Work.Drop(ctx, strings.TrimPrefix(s.baseRef(i), "refs/warp/"))
}

// filesAtStart reads the project's files as they were before the session's first iteration.
func (s *shield) filesAtStart(root string) project.Files {
	if s.guard == nil || s.recordedBase(0) == "" {
		return detect.ReadProject(root)
	}
	return judge.ReadTree(s.guard.Work.Repo(), s.recordedBase(0), s.guard.Work.Root().Folder())
}

// recordedBase returns a unit's starting tree, or "" if unknown.
func (s *shield) recordedBase(i int) string {
	if s.places == nil {
		return ""
	}
	commit, err := s.places.Work.Repo().Ref(s.baseRef(i)) // the session's own work tree may be gone
	if err != nil {
		return ""
	}
	return commit
}

// absorbPersonChanges adds what a person changed between two runs to the unit's starting tree, so
// that it is neither judged nor committed.
func (s *shield) absorbPersonChanges(ctx context.Context, i int, paths []string) error {
	u := s.files.units[i]
	if u.stage.Commit {
		s.options.Remark("changed since the last iteration, not by an agent; left uncommitted: %s", text.Quote(paths, 5))
	}
	if u.member != nil || u.apart {
		return nil
	}
	now, err := s.guard.Snapshot()
	for _, k := range slices.Compact([]int{0, i}) {
		was := s.recordedBase(k)
		if err != nil || was == "" {
			continue
		}
		var tree string
		if tree, err = s.guard.Work.Repo().Trees().Graft(ctx, was, now, paths); err == nil {
			err = s.setBaseTree(ctx, k, tree)
		}
	}
	return err
}

// memberRef returns the ref that keeps the work of a member's branch, whose units share a work
// tree.
func (s *shield) memberRef(i int) string {
	return "refs/warp/session/" + s.files.name + "/" + s.files.units[i].place
}

// memberPlace returns the names of a member's work tree and branch.
func (s *shield) memberPlace(i int) (name, branch string) {
	f := s.files
	return "session-" + f.name + "-" + f.units[i].place, "warp/" + f.name + "/" + f.units[i].place
}

// memberGuard returns the guard of a member's work tree, which it creates if necessary. All members
// of a stage start from the main work tree, including uncommitted work.
func (s *shield) memberGuard(ctx context.Context, i int) (*guard.Guard, error) {
	base, err := s.baseTree(ctx, i)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.files.units[i]
	if g := s.members[u.place]; g != nil {
		return g, nil
	}
	name, branch := s.memberPlace(i)
	// An existing work tree may be incomplete.
	whole := s.files.firstIn(u.place).pathOf("worktree")
	if _, made := os.Lstat(whole); made != nil || !s.places.Exists(name) {
		head, err := s.guard.Work.Repo().Head()
		if err == nil && head == "" {
			err = errors.New("a parallel stage needs a commit to start from")
		}
		if err != nil {
			return nil, err
		}
		tree, err := s.places.Make(ctx, name, branch, head)
		if err == nil {
			err = place.Fill(ctx, tree, head, base)
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(whole), 0o755)
		}
		if err == nil {
			err = durable.WriteNote(whole, []byte(name+"\n"))
		}
		if err != nil {
			return nil, err
		}
	}
	g, err := s.openPlace(ctx, name, u.place)
	if err == nil {
		s.members[u.place] = g
	}
	return g, err
}

// removeMember removes a member's work tree and branch. Its result was kept as a tree, so no
// uncommitted work is lost.
func (s *shield) removeMember(ctx context.Context, i int) {
	if s.guard == nil {
		return
	}
	name, branch := s.memberPlace(i)
	if err := s.places.Discard(ctx, name, branch); err != nil {
		s.options.Remark("%v", err)
	}
}

// nameBranch chooses the session's branch and records the one it begins on, before either is used,
// so that a killed session finds both.
func (l *lane) nameBranch(s *sessionstate.State) error {
	if l == nil {
		return nil
	}
	repo := l.land.Work.Repo()
	head, err := repo.Head()
	if err != nil || head == "" {
		return err
	}
	if s.BeganOn, err = repo.Branch(); err != nil {
		return err
	}
	s.Branch = place.FreeBranch(repo, "session/"+s.Session, head)
	for n := 2; s.Branch == s.BeganOn || l.run.lanes.isTaken(s); n++ {
		s.Branch = place.FreeBranch(repo, fmt.Sprintf("session/%s-%d", s.Session, n), head)
	}
	return nil
}

// isTaken reports whether an earlier session of the same name left work where this one would work.
// It must neither start from that nor collide with it.
func (w *lanes) isTaken(s *sessionstate.State) bool {
	places := w.run.shield.places
	taken := places.Exists(placeOf(s.Branch))
	for _, u := range w.run.files.units {
		if name, branch := stageLane(s, u); u.apart {
			_, err := places.Work.Repo().Ref("refs/heads/" + branch)
			taken = taken || err == nil || places.Exists(name)
		}
	}
	return taken
}

// placeOf returns the name of a session's own work tree. It derives from the branch, which stays
// the session's even after the next one of its name has begun.
func placeOf(branch string) string { return strings.ReplaceAll(branch, "/", "-") }

// stageLane returns the work tree and branch of a stage that commits while others run. They share
// the number of the session's branch; stage names contain no @.
func stageLane(s *sessionstate.State, u unit) (name, branch string) {
	stage := u.name
	if number := strings.TrimPrefix(s.Branch, "session/"+s.Session); number != "" {
		stage += "@" + strings.TrimPrefix(number, "-")
	}
	return "session-" + s.Session + "-" + stage, "warp/" + s.Session + "/" + stage
}
