package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// place is the work tree of a member of a parallel stage.
func (r *run) place(i int) string {
	return filepath.Join(r.Root, ".claude", "worktrees", "session-"+r.Name+"-"+r.units[i].name)
}

// ref is what keeps the work of a member; base keeps what it began with.
func (r *run) ref(i int) string  { return "refs/warp/session/" + r.Name + "/" + r.units[i].name }
func (r *run) base(i int) string { return "session/" + r.Name + "/" + r.units[i].stage.ID + "-base" }

// baseOf is the tree that the members of a stage began with; "" when there is
// none.
func (r *run) baseOf(i int) string {
	repo, err := git.Open(r.Root)
	if err != nil {
		return ""
	}
	commit, err := repo.Ref("refs/warp/" + r.base(i))
	if err != nil {
		return ""
	}
	return commit
}

// apart makes the work tree of a member, or finds the one it has: all members of
// a stage begin with what was in the main work tree, uncommitted work included.
func (r *run) apart(ctx context.Context, i int) (string, error) {
	if r.print == nil {
		return r.Root, nil // where nothing can be told apart
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	dir := r.place(i)
	here, err := work.Open(r.Root)
	if err != nil {
		return "", err
	}
	base := r.baseOf(i)
	if base == "" {
		tree, err := r.snapshot()
		if err == nil {
			err = here.Keep(ctx, r.base(i), tree)
		}
		if err != nil {
			return "", err
		}
		base = r.baseOf(i)
	}
	// That a work tree is there does not say that it is complete.
	whole := filepath.Join(r.folder(i), "worktree")
	_, made := os.Lstat(whole)
	if _, there := os.Lstat(filepath.Join(dir, ".git")); there == nil && made == nil {
		return dir, nil
	}
	head, err := here.Repo().Head()
	if err != nil {
		return "", err
	}
	if head == "" {
		return "", errors.New("a parallel stage needs a first commit to begin with")
	}
	if err := here.Prune(ctx); err != nil {
		return "", err
	}
	tree, err := here.AddWorktree(ctx, dir, r.branch(i), head)
	if err != nil {
		return "", err
	}
	changes, err := here.Repo().Changes(head, base)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range changes {
		if paths = append(paths, c.Path); c.OldPath != "" {
			paths = append(paths, c.OldPath)
		}
	}
	if err := tree.Restore(ctx, base, paths, true); err != nil {
		return "", err
	}
	return dir, durable.Jot(whole, []byte(dir+"\n"))
}

func (r *run) branch(i int) string { return "warp/" + r.Name + "/" + r.units[i].name }

// dismiss takes a member's work tree and branch away. What it made was kept as a
// tree, so nothing is lost with the files that nobody has committed.
func (r *run) dismiss(ctx context.Context, i int) {
	if r.print == nil {
		return
	}
	repo, err := git.Open(r.Root)
	for _, args := range [][]string{
		{"worktree", "remove", "--force", "--force", "--", r.place(i)}, {"worktree", "prune"}, {"branch", "-q", "-D", r.branch(i)},
	} {
		if err == nil {
			_, err = repo.Run(ctx, git.Call{Args: args}) // what is not there need not be removed
		}
	}
	if _, gone := os.Lstat(r.place(i)); err != nil || gone == nil {
		r.remark("the work tree of %s could not be removed: %s", r.units[i].name, r.place(i))
	}
}

// clear takes away what an earlier session of this name has left in the
// repository: members begin with what is there now.
func (r *run) clear(ctx context.Context) error {
	for i, u := range r.units {
		if u.member == nil || r.print == nil {
			continue
		}
		r.dismiss(ctx, i)
		repo, err := git.Open(r.Root)
		for _, ref := range []string{r.ref(i), "refs/warp/" + r.base(i)} {
			if err == nil {
				_, err = repo.Run(ctx, git.Call{Args: []string{"update-ref", "-d", ref}})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
