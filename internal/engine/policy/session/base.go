package session

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"warp/internal/core/project"
	"warp/internal/core/text"
	"warp/internal/engine/detect"
	"warp/internal/engine/judge"
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
