package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/place"
)

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
