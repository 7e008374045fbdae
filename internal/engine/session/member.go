package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
)

// ref is what keeps the work of a member.
func (r *shield) ref(i int) string { return "refs/warp/session/" + r.name + "/" + r.units[i].name }

func (r *shield) branch(i int) string { return "warp/" + r.name + "/" + r.units[i].name }

// placeName is the name of a member's work tree.
func (r *shield) placeName(i int) string { return "session-" + r.name + "-" + r.units[i].name }

// apart is the guard of a member's work tree, which is made where there is none:
// all members of a stage begin with what was in the main work tree, uncommitted
// work included.
func (r *shield) apart(ctx context.Context, i int) (*guard.Guard, error) {
	base, err := r.base(ctx, i)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g := r.members[i]; g != nil {
		return g, nil
	}
	dir := place.Path(r.root, r.placeName(i))
	// That a work tree is there does not say that it is complete.
	whole := filepath.Join(r.folder(i), "worktree")
	if _, made := os.Lstat(whole); made != nil || !r.places.Exists(r.placeName(i)) {
		head, err := r.guard.Work.Repo().Head()
		if err == nil && head == "" {
			err = errors.New("a parallel stage needs a first commit to begin with")
		}
		if err != nil {
			return nil, err
		}
		tree, err := r.places.Make(ctx, r.placeName(i), r.branch(i), head)
		if err == nil {
			err = place.Fill(ctx, tree, head, base)
		}
		if err == nil {
			err = durable.Jot(whole, []byte(dir+"\n"))
		}
		if err != nil {
			return nil, err
		}
	}
	g, err := r.open(ctx, dir, r.root, r.storeOf(dir), r.units[i].name)
	if err == nil {
		r.members[i] = g
	}
	return g, err
}

// dismiss removes a member's work tree and branch. What it made was kept as a
// tree, so nothing is lost with its uncommitted files.
func (r *shield) dismiss(ctx context.Context, i int) {
	if r.guard == nil {
		return
	}
	if err := r.places.Discard(ctx, r.placeName(i), r.branch(i)); err != nil {
		r.remark("%v", err)
	}
}

// dismissAll removes what an earlier session of this name has left in the
// repository: members begin with what is there now.
func (r *shield) dismissAll(ctx context.Context) error {
	if r.guard == nil {
		return nil
	}
	for i, u := range r.units {
		refs := []string{"refs/warp/" + r.baseName(i)}
		if u.member != nil {
			r.dismiss(ctx, i)
			refs = append(refs, r.ref(i))
		}
		for _, ref := range refs {
			if _, err := r.guard.Work.Repo().Run(ctx, git.Call{Args: []string{"update-ref", "-d", ref}}); err != nil {
				return err
			}
		}
	}
	return nil
}
