package recovery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/sys/git"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// settle puts the branch where it should be and checks it out, in the place
// where the drive is to go on.
func (r *Recovery) settle(ctx context.Context, o Options, c chosen, b branch, session int64, res *Result) (*turnstile.Drive, error) {
	apart := c.apart && !o.InPlace || o.Apart
	kept, err := r.salvage(ctx, c.issue, session, b)
	res.Kept = kept
	if err != nil {
		return nil, err
	}
	if err := r.clear(ctx, c, apart, res); err != nil {
		return nil, err
	}
	if r.tip(ctx, "refs/heads/"+r.target) == "" && r.remote != "" {
		if tip := r.tip(ctx, "refs/remotes/"+r.remote+"/"+r.target); tip != "" {
			if err := r.Tree.Move(ctx, r.target, tip, ""); err != nil {
				return nil, err
			}
		}
	}
	res.Branch, res.Commit = b.name, b.tip
	for _, was := range b.picked {
		res.Picked = append(res.Picked, was)
	}
	at := r.Main
	if b.tip == "" { // nothing was committed: the drive makes its branch
		res.Root = at.Root()
		return at, nil
	}
	tree := r.Tree
	if apart {
		if err := r.move(ctx, b); err != nil {
			return nil, err
		}
		if tree, err = r.Tree.AddWorktree(ctx, r.Apart(c.issue), b.name, b.tip); err != nil {
			return nil, err
		}
		at = turnstile.Open(tree.Dir, r.Env)
		if err := unseen(at); err != nil {
			return nil, err
		}
	} else if err := r.checkOut(ctx, b); err != nil {
		return nil, err
	}
	res.Root = at.Root()
	return at, nil
}

// unseen keeps git from seeing the drive's own state in its work tree, where the
// project does not: it would keep the work tree from being removed.
func unseen(d *turnstile.Drive) error {
	return d.Store().EditFile(".claude/.gitignore", func(text []byte) ([]byte, error) {
		if len(text) > 0 {
			return text, nil
		}
		return []byte("*\n"), nil
	})
}

// clear makes room: git forgets a work tree that is gone, and a folder that is
// none of its work trees is moved away.
func (r *Recovery) clear(ctx context.Context, c chosen, apart bool, res *Result) error {
	gone, err := r.gone(ctx)
	if err != nil {
		return err
	}
	for admin, w := range gone {
		if w.Path != r.Apart(c.issue) && w.Branch != c.branch {
			continue
		}
		kept, err := r.forget(ctx, c.issue, admin, w)
		res.Kept = append(res.Kept, kept...)
		if err != nil {
			return err
		}
		turnstile.ForgetProject(w.Path)
	}
	if !apart {
		return nil
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(trees, func(w work.Worktree) bool { return w.Path == r.Apart(c.issue) }) {
		return nil
	}
	kept, err := r.makeRoom(ctx, c.issue, r.Apart(c.issue))
	res.Kept = append(res.Kept, kept...)
	return err
}

// move puts the branch where it should be; it is checked out nowhere.
func (r *Recovery) move(ctx context.Context, b branch) error {
	if b.here == b.tip {
		return nil
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.Branch == b.name && !w.Missing && b.here != "" {
			in, err := work.Open(w.Path)
			if err != nil {
				return err
			}
			return in.Follow(ctx, b.name, b.tip)
		}
	}
	return r.Tree.Move(ctx, b.name, b.tip, b.here)
}

// checkOut brings the branch into the main work tree. Uncommitted changes stay;
// where they are in the way it is refused, and the branch is where it was.
func (r *Recovery) checkOut(ctx context.Context, b branch) error {
	place, _ := git.Locate(r.Tree.Top())
	on, err := place.Checked()
	if err != nil {
		return err
	}
	moved := b.here != "" && b.here != b.tip && on != b.name
	if b.here != "" || on == b.name {
		if err := r.move(ctx, b); err != nil {
			return err
		}
	}
	if err := r.Tree.Branch(ctx, b.name, b.tip); err != nil {
		if moved {
			err = errors.Join(err, r.Tree.Move(ctx, b.name, b.here, b.tip))
		}
		return fmt.Errorf("checking out %s: %w", b.name, err)
	}
	return nil
}
