package drive

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/drive"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// guard is what was there before an agent ran.
type guard struct {
	e     *Engine
	s     *drive.State
	head  string            // the branch that was checked out
	tips  map[string]string // of the branches that only the drive moves
	tree  string            // the work tree
	vault *vault            // .claude, and files that git does not know
	// staged is what a person has staged.
	staged map[string]string
	git    gitGuard
}

// protect looks at everything that an agent could destroy, and keeps a copy of
// what git does not have.
func (e *Engine) protect(ctx context.Context, s *drive.State, readOnly bool) (*guard, error) {
	g := &guard{e: e, s: s, tips: map[string]string{}}
	place, ok := e.place()
	if !ok {
		return nil, git.ErrNotRepo
	}
	var err error
	if g.head, err = place.Checked(); err != nil {
		return nil, err
	}
	for _, b := range s.Guarded() {
		if tip, err := place.Tip(b); err == nil {
			g.tips[b] = tip
		}
	}
	if g.tree, err = e.Drive.Tree.Fingerprint(); err != nil {
		return nil, err
	}
	if g.git, err = e.guardGit(ctx, place); err != nil {
		return nil, err
	}
	if g.staged, err = e.staged(ctx); err != nil {
		return nil, err
	}
	g.vault, err = e.lockUp(ctx, place, readOnly)
	return g, err
}

// restore puts back what the agent destroyed and takes back what it may not do.
// It returns the work tree as it is then.
func (g *guard) restore(ctx context.Context, readOnly bool) (tree string, err error) {
	if _, ok := g.e.place(); !ok {
		return "", errGone
	}
	bad := g.state()
	tree, err = g.files(ctx, readOnly)
	return tree, errors.Join(bad, err)
}

// files puts branches and files back.
func (g *guard) files(ctx context.Context, readOnly bool) (tree string, err error) {
	e := g.e
	if err := g.settle(ctx); err != nil {
		return "", err
	}
	reverted, err := g.refs(ctx)
	if err != nil {
		return "", err
	}
	if err := g.others(ctx); err != nil {
		return "", err
	}
	if tree, err = e.look(); err != nil {
		return "", err
	}
	if tree == g.tree {
		return tree, nil
	}
	changes, err := e.Drive.Tree.CompareTrees(g.tree, tree)
	if err != nil {
		return "", err
	}
	lost, err := g.lost(tree, changes, reverted)
	if err != nil {
		return "", err
	}
	if err := g.touched(ctx, changes, lost); err != nil {
		return "", err
	}
	if readOnly {
		if lost, err = g.meddled(changes, lost); err != nil || len(lost) == 0 {
			return tree, err
		}
		kept := e.salvage(ctx, g.s, "verifier", tree)
		e.intervene(g.s, "read_only", kept, "files were changed while an agent ran that may only look; they were put back: %s", text.Quote(lost, 5))
		if err := e.Work.Restore(ctx, g.tree, lost, true); err != nil {
			return "", err
		}
		return e.look()
	}
	if len(lost) == 0 {
		return tree, nil
	}
	e.intervene(g.s, "destroyed", "", "the agent destroyed or reverted files that are not its own; they were put back: %s", text.Quote(lost, 5))
	if err := g.clear(ctx, tree, changes, lost); err != nil {
		return "", err
	}
	if err := e.Work.Restore(ctx, g.tree, lost, false); err != nil {
		return "", err
	}
	return e.look()
}

// state brings warp's own files back, and makes the engine the owner of the
// drive again.
func (g *guard) state() error {
	e := g.e
	gone, changed, err := g.vault.putBack()
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		e.intervene(g.s, "destroyed", "", "the agent deleted files that git does not have; they were put back: %s", text.Quote(gone, 5))
	}
	if list := g.vault.touched; len(list) > 0 {
		e.intervene(g.s, "yours", "", "files that git does not have were changed while the agent ran; as they were, they are in warp/replaced of git's folder: %s", text.Quote(list, 5))
	}
	if len(changed) > 0 {
		e.intervene(g.s, "settings", "", "settings or issues were changed while the agent ran; they were put back, and what they had become is in warp/replaced of git's folder: %s", text.Quote(changed, 5))
	}
	v, err := e.Drive.Read()
	foreign := err == nil && v.Foreign
	if durable.IsMissing(err) || foreign {
		if _, err = e.Drive.Doc().Rebuild(); err == nil {
			e.intervene(g.s, "state", "", "the drive's state was changed or deleted while the agent ran; it was rebuilt from the journal")
		}
	}
	if err != nil {
		return err
	}
	_, err = e.Drive.Claim(e.PID)
	return err
}

// refs puts back the branches that only the drive may move, and what is checked
// out. What the agent committed is kept under a reference of its own, and stays
// in the work tree. It returns the commits that the work tree was reset to.
func (g *guard) refs(ctx context.Context) (reverted []string, err error) {
	e := g.e
	place, ok := e.place()
	if !ok {
		return nil, errors.New("the agent destroyed the repository itself: .git is gone")
	}
	moved := false
	for b, was := range g.tips {
		now, err := place.Tip(b)
		if err != nil && was == "" || err == nil && now == was || was == "" {
			continue
		}
		if b != g.s.BranchName() && e.mergedByOthers(b, now) {
			continue
		}
		moved = true
		kept := ""
		if now != "" {
			if in, err := e.repo().Descends(was, now); err == nil && in {
				reverted = append(reverted, now)
			} else {
				kept = e.salvage(ctx, g.s, "agent", now)
			}
		}
		if err := e.Work.Move(ctx, b, was, now); err != nil {
			return nil, fmt.Errorf("putting %s back to %s: %w", b, was, err)
		}
		e.intervene(g.s, "commit", kept, "the agent moved %s from %s to %s by itself; the branch was put back, its files stay", b, text.Hash(was), orNothing(text.Hash(now)))
	}
	head, err := place.Checked()
	if err != nil || head != g.head {
		moved = true
		if err := e.pointHead(ctx, g.head); err != nil {
			return nil, fmt.Errorf("going back to the branch %s: %w", g.head, err)
		}
		if tip, err := place.Tip(head); err == nil && head != "" {
			reverted = append(reverted, tip)
		}
		e.intervene(g.s, "commit", "", "the agent checked out %s; %s is checked out again", orDetached(head), g.head)
	}
	if moved {
		if err := e.resetIndex(ctx); err != nil {
			return nil, err
		}
	}
	return reverted, g.restage(ctx)
}

func orNothing(hash string) string {
	if hash == "" {
		return "nothing"
	}
	return hash
}

// salvage keeps a commit or a tree from being collected, and returns the
// reference that does.
func (e *Engine) salvage(ctx context.Context, s *drive.State, what, object string) string {
	name := fmt.Sprintf("%s/issue-%s-chunk-%d-%s-%s", what, s.Issue(), s.Chunk.Index, e.Now().UTC().Format("20060102T150405"), text.Hash(object))
	if err := e.Work.Keep(ctx, name, object); err != nil {
		e.remark("%s could not be kept: %v", object, err)
		return ""
	}
	return "refs/warp/" + name
}

func paths(changes []git.Change) (list []string) {
	for _, c := range changes {
		list = append(list, c.Path)
		if c.OldPath != "" {
			list = append(list, c.OldPath)
		}
	}
	return list
}
