package recovery

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// checkOutBranch moves the branch to where it should be and checks it out where the drive will
// resume. What has to make room is kept.
func (b *restoration) checkOutBranch(ctx context.Context) (*turnstile.Drive, error) {
	r, to := b.in, b.branch
	if err := b.salvage(ctx); err != nil {
		return nil, err
	}
	if err := b.makeRoom(ctx); err != nil {
		return nil, err
	}
	if here, there := r.tips(ctx, r.target); here == "" && there != "" {
		if err := r.Tree.Move(ctx, r.target, there, ""); err != nil {
			return nil, err
		}
	}
	b.res.Branch, b.res.Commit, b.res.Root = to.name, to.tip, r.Main.Root()
	switch {
	case to.tip == "": // nothing was committed: the drive creates its branch
		return r.Main, nil
	case !b.drive.apart:
		return r.Main, b.checkOut(ctx)
	}
	if err := b.moveBranch(ctx); err != nil {
		return nil, err
	}
	tree, err := r.Tree.AddWorktree(ctx, r.separateTree(to.issue), to.name, to.tip)
	if err != nil {
		return nil, err
	}
	b.res.Root = tree.Dir
	return turnstile.Open(tree.Dir, r.Env), place.Hide(tree.Dir)
}

// salvage keeps everything that is not on the branch and would be hard to find afterwards: the
// branch's old commit, and what agents left of uncommitted chunks.
func (b *restoration) salvage(ctx context.Context) error {
	r, to, k := b.in, b.branch, &b.keeper
	if to.here != "" && to.here != to.tip {
		in, err := r.repo.Descends(to.tip, to.here)
		if err == nil && !in {
			err = k.keep(ctx, "branch", to.here)
		}
		if err != nil {
			return err
		}
	}
	final := r.line(ctx, "rev-parse", "--verify", "-q", to.tip+"^{tree}")
	under := map[int]string{}
	for _, e := range r.book.Of(to.issue, 0).Runs {
		if e.Row.Epoch < to.session && !evidence.InSession(to.session, e.Row.Epoch, e.At) {
			continue // what a later session with lost commits left is kept too
		}
		_, committed := evidence.Last(r.book.Commits, func(c evidence.Commit) bool { return c.Issue == to.issue && c.Chunk == e.Row.Chunk && !c.WIP })
		if e.Row.Chunk > 0 && !committed && e.Row.Tree != final && r.hasObject(ctx, e.Row.Tree) {
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

// makeRoom makes git forget a missing work tree, and moves away a folder that is no work tree.
func (b *restoration) makeRoom(ctx context.Context) error {
	r, c, path := b.in, b.drive, b.in.separateTree(b.drive.issue)
	gone, err := r.missingWorkTrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range gone {
		if w.Path != path && w.Branch != c.branch {
			continue
		}
		if err := b.keeper.forgetWorkTree(ctx, w); err != nil {
			return err
		}
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil || !c.apart || slices.ContainsFunc(trees, func(w gitwrite.Worktree) bool { return w.Path == path }) {
		return err
	}
	return b.keeper.makeRoom(ctx, path)
}

// moveBranch moves the branch to where it should be, with its files if it is checked out.
func (b *restoration) moveBranch(ctx context.Context) error {
	r, to := b.in, b.branch
	if to.here == to.tip {
		return nil
	}
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(trees, func(w gitwrite.Worktree) bool { return w.Branch == to.name && !w.Missing })
	if at < 0 || to.here == "" {
		return r.Tree.Move(ctx, to.name, to.tip, to.here)
	}
	in, err := gitwrite.Open(trees[at].Path)
	if err != nil {
		return err
	}
	return in.Follow(ctx, to.name, to.tip)
}

// checkOut checks out the branch in the main work tree. Uncommitted changes stay; if they are in
// the way, it fails and the branch stays where it was.
func (b *restoration) checkOut(ctx context.Context) error {
	r, to := b.in, b.branch
	on, err := r.repo.Branch()
	if err != nil {
		return err
	}
	if to.here != "" || on == to.name {
		if err := b.moveBranch(ctx); err != nil {
			return err
		}
	}
	if err := r.Tree.Branch(ctx, to.name, to.tip); err != nil {
		if to.here != "" && to.here != to.tip && on != to.name {
			err = errors.Join(err, r.Tree.Move(ctx, to.name, to.here, to.tip))
		}
		return fmt.Errorf("checking out %s: %w", to.name, err)
	}
	return nil
}

// setAside marks the name of a folder that had to make room.
const setAside = ".lost-"

// keeper saves what has to make room.
type keeper struct {
	tree gitwrite.Tree
	env  turnstile.Env
	name string   // in ref names: the issue's number
	kept []string // refs and folders
}

// keep keeps a tree or a commit under refs/warp/recovered/.
func (k *keeper) keep(ctx context.Context, what, object string) error {
	name := fmt.Sprintf("recovered/issue-%s-%s-%s", k.name, what, text.Hash(object))
	if err := k.tree.Keep(ctx, name, object); err != nil {
		return fmt.Errorf("could not back up what would be lost, so nothing was changed: %w", err)
	}
	k.kept = append(k.kept, "refs/warp/"+name)
	return nil
}

// endServer ends the dev server of a work tree that is gone or makes room: it would occupy the port
// that the next one needs.
func (k *keeper) endServer(ctx context.Context, path string) error {
	return takedown.Server(ctx, turnstile.Open(path, k.env).Store(), path, k.env.Started)
}

// lostTree is a work tree whose folder is missing.
type lostTree struct {
	gitwrite.Worktree
	admin string // git's own folder for it
}

// missingWorkTrees returns the work trees whose folder is missing, by name.
func (r *Recovery) missingWorkTrees(ctx context.Context) (list []lostTree, err error) {
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	place, _ := git.Locate(r.Tree.Top())
	admins, _ := filepath.Glob(filepath.Join(place.Common(), "worktrees", "*")) // the pattern is well-formed
	for _, admin := range admins {
		for _, w := range trees {
			if w.Missing && w.Path == git.At(admin).Top {
				list = append(list, lostTree{w, admin})
			}
		}
	}
	return list, nil
}

// forgetWorkTree makes git forget a missing work tree. It keeps what git's own folder for it still
// has: what was staged, and what warp saved before an agent ran.
func (k *keeper) forgetWorkTree(ctx context.Context, w lostTree) error {
	if w.Locked {
		return fmt.Errorf("the folder of the work tree %s is gone, but locked (it may be on a disk that is not mounted): git worktree unlock it, then try again", w.Path)
	}
	if err := k.endServer(ctx, w.Path); err != nil {
		return err
	}
	saved, index := filepath.Join(w.admin, "warp"), filepath.Join(w.admin, "index")
	if _, err := os.Lstat(index); err == nil && w.Head != "" {
		out, err := k.tree.Repo().Must(ctx, git.Call{Args: []string{"write-tree"}, Env: []string{"GIT_INDEX_FILE=" + index}})
		head, _ := k.tree.Repo().Must(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", w.Head + "^{tree}"}}) // if that fails, all of it is kept
		switch conflict := (*git.Failure)(nil); {
		case errors.As(err, &conflict): // no tree can be made of an index with conflicts: keep the file itself
			if err := durable.MoveFile(index, filepath.Join(saved, "index")); err != nil {
				return fmt.Errorf("could not back up the index of %s, so the work tree stays registered: %w", w.Path, err)
			}
		case err != nil:
			return err
		case string(out) != string(head):
			if err := k.keep(ctx, "staged", strings.TrimSpace(string(out))); err != nil {
				return err
			}
		}
	}
	if entries, err := os.ReadDir(saved); err == nil && len(entries) > 0 {
		place, _ := git.Locate(k.tree.Top())
		to := filepath.Join(place.Common(), "warp", fmt.Sprintf("recovered-%s-%d", filepath.Base(w.admin), k.env.Now().UnixMilli()))
		if err := durable.MoveFile(saved, to); err != nil {
			return fmt.Errorf("could not back up the files in %s, so the work tree stays registered: %w", saved, err)
		}
		k.kept = append(k.kept, to)
	}
	if err := k.tree.RemoveWorktree(ctx, w.Path, true); err != nil {
		return err
	}
	turnstile.ForgetProject(w.Path)
	return nil
}

// makeRoom moves away a folder that is in a work tree's place and not one of this repository's. Its
// files are also kept as a tree.
func (k *keeper) makeRoom(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.IsDir() {
		err = k.endServer(ctx, path)
	}
	if err == nil {
		err = k.keepFolder(ctx, path)
	}
	if err != nil {
		return err
	}
	to := fmt.Sprintf("%s%s%d", path, setAside, k.env.Now().UnixMilli())
	if err := durable.MoveFile(path, to); err != nil {
		return fmt.Errorf("moving %s, which is where the work tree belongs: %w", path, err)
	}
	k.kept = append(k.kept, to)
	return nil
}

// keepFolder keeps the files of a folder that is no work tree as a tree, unless it is empty.
func (k *keeper) keepFolder(ctx context.Context, path string) error {
	root, err := k.tree.Repo().Root()
	if err != nil {
		return err
	}
	stage, err := root.Blank()
	if err != nil {
		return err
	}
	defer stage.Remove()
	place, _ := git.Locate(k.tree.Top())
	env := append([]string{"GIT_DIR=" + place.Common(), "GIT_WORK_TREE=" + path}, stage.Env...)
	var tree []byte
	for _, args := range [][]string{{"add", "-A", "--", "."}, {"rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ".claude"}, {"write-tree"}} {
		if tree, err = (git.Repo{Dir: path}).Must(ctx, git.Call{Args: args, Env: env}); err != nil {
			return fmt.Errorf("backing up the files in %s: %w", path, err)
		}
	}
	empty, err := k.tree.Repo().Trees().Empty()
	if err != nil || strings.TrimSpace(string(tree)) == empty {
		return err
	}
	return k.keep(ctx, "folder", strings.TrimSpace(string(tree)))
}
