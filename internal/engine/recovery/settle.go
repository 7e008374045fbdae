package recovery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"warp/internal/core/evidence"
	"warp/internal/engine/place"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// settle puts the branch where it should be and checks it out, in the place where
// the drive is to resume. What has to make room is kept.
func (b *bringing) settle(ctx context.Context) (*turnstile.Drive, error) {
	r, to := b.in, b.branch
	if err := b.salvage(ctx); err != nil {
		return nil, err
	}
	if err := b.clear(ctx); err != nil {
		return nil, err
	}
	if here, there := r.tips(ctx, r.target); here == "" && there != "" {
		if err := r.Tree.Move(ctx, r.target, there, ""); err != nil {
			return nil, err
		}
	}
	b.res.Branch, b.res.Commit, b.res.Root = to.name, to.tip, r.Main.Root()
	switch {
	case to.tip == "": // nothing was committed: the drive makes its branch
		return r.Main, nil
	case !b.drive.apart:
		return r.Main, b.checkOut(ctx)
	}
	if err := b.move(ctx); err != nil {
		return nil, err
	}
	tree, err := r.Tree.AddWorktree(ctx, r.apart(to.issue), to.name, to.tip)
	if err != nil {
		return nil, err
	}
	b.res.Root = tree.Dir
	return turnstile.Open(tree.Dir, r.Env), place.Hide(tree.Dir)
}

// salvage keeps everything that is not on the branch and that would be hard to
// find once the drive is back: where the branch was, and what agents left of chunks
// that were not committed.
func (bring *bringing) salvage(ctx context.Context) error {
	r, b, k := bring.in, bring.branch, &bring.keeper
	if b.here != "" && b.here != b.tip {
		in, err := r.repo.Descends(b.tip, b.here)
		if err == nil && !in {
			err = k.keep(ctx, "branch", b.here)
		}
		if err != nil {
			return err
		}
	}
	final := r.line(ctx, "rev-parse", "--verify", "-q", b.tip+"^{tree}")
	under := map[int]string{}
	for _, e := range r.book.Of(b.issue, 0).Runs {
		if e.Row.Epoch < b.session && !evidence.InSession(b.session, e.Row.Epoch, e.At) {
			continue // what a later session left, whose commits are lost, is kept, too
		}
		_, committed := evidence.Last(r.book.Commits, func(c evidence.Commit) bool { return c.Issue == b.issue && c.Chunk == e.Row.Chunk && !c.WIP })
		if e.Row.Chunk > 0 && !committed && e.Row.Tree != final && r.has(ctx, e.Row.Tree) {
			under[e.Row.Chunk] = e.Row.Tree
		}
	}
	for _, chunk := range slices.Sorted(maps.Keys(under)) {
		if err := k.keep(ctx, fmt.Sprintf("chunk-%d", chunk), under[chunk]); err != nil {
			return err
		}
	}
	return nil
}

// clear makes room: git forgets a work tree that is gone, and a folder that is
// none of its work trees is moved away.
func (b *bringing) clear(ctx context.Context) error {
	r, c, path := b.in, b.drive, b.in.apart(b.drive.issue)
	gone, err := r.gone(ctx)
	if err != nil {
		return err
	}
	for _, w := range gone {
		if w.Path != path && w.Branch != c.branch {
			continue
		}
		if err := b.keeper.forget(ctx, w); err != nil {
			return err
		}
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil || !c.apart || slices.ContainsFunc(trees, func(w work.Worktree) bool { return w.Path == path }) {
		return err
	}
	return b.keeper.makeRoom(ctx, path)
}

// move puts the branch where it should be, with its files where it is checked out.
func (bring *bringing) move(ctx context.Context) error {
	r, b := bring.in, bring.branch
	if b.here == b.tip {
		return nil
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(trees, func(w work.Worktree) bool { return w.Branch == b.name && !w.Missing })
	if at < 0 || b.here == "" {
		return r.Tree.Move(ctx, b.name, b.tip, b.here)
	}
	in, err := work.Open(trees[at].Path)
	if err != nil {
		return err
	}
	return in.Follow(ctx, b.name, b.tip)
}

// checkOut brings the branch into the main work tree. Uncommitted changes stay;
// where they are in the way it is refused, and the branch is where it was.
func (bring *bringing) checkOut(ctx context.Context) error {
	r, b := bring.in, bring.branch
	on, err := r.repo.Branch()
	if err != nil {
		return err
	}
	if b.here != "" || on == b.name {
		if err := bring.move(ctx); err != nil {
			return err
		}
	}
	if err := r.Tree.Branch(ctx, b.name, b.tip); err != nil {
		if b.here != "" && b.here != b.tip && on != b.name {
			err = errors.Join(err, r.Tree.Move(ctx, b.name, b.here, b.tip))
		}
		return fmt.Errorf("checking out %s: %w", b.name, err)
	}
	return nil
}
