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
	"warp/internal/engine/dev/takedown"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// setAside is in the name of a folder that had to make room.
const setAside = ".lost-"

// keep keeps a tree or a commit under refs/warp/recovered/, and says where.
func (r *Recovery) keep(ctx context.Context, issue, what, object string) (string, error) {
	name := fmt.Sprintf("recovered/issue-%s-%s-%s", issue, what, text.Hash(object))
	if err := r.Tree.Keep(ctx, name, object); err != nil {
		return "", fmt.Errorf("what would be lost could not be kept, so nothing was changed: %w", err)
	}
	return "refs/warp/" + name, nil
}

// salvage keeps everything that is not on the branch and that would be hard to
// find, or gone, once the drive is back: where the branch was, and what the work
// tree that is gone had staged or saved.
func (r *Recovery) salvage(ctx context.Context, issue string, session int64, b branch) (kept []string, err error) {
	keep := func(what, object string) {
		if object == "" || err != nil {
			return
		}
		var ref string
		if ref, err = r.keep(ctx, issue, what, object); err == nil {
			kept = append(kept, ref)
		}
	}
	if b.here != "" && b.here != b.tip {
		if in, err := r.Tree.Repo().Descends(b.tip, b.here); err != nil {
			return nil, err
		} else if !in {
			keep("branch", b.here)
		}
	}
	final := r.line(ctx, "rev-parse", "--verify", "-q", b.tip+"^{tree}")
	under := map[int]string{} // what agents left of chunks that were not committed
	for _, e := range r.book.Of(issue, 0).Runs {
		if e.Row.Epoch < session && !evidence.InSession(session, e.Row.Epoch, e.At) {
			continue // what a later session left, whose commits are lost, is kept, too
		}
		_, committed := evidence.Last(r.book.Commits, func(c evidence.Commit) bool { return c.Issue == issue && c.Chunk == e.Row.Chunk && !c.WIP })
		if e.Row.Chunk > 0 && !committed && e.Row.Tree != final && r.has(ctx, e.Row.Tree) {
			under[e.Row.Chunk] = e.Row.Tree
		}
	}
	for _, chunk := range slices.Sorted(maps.Keys(under)) {
		keep(fmt.Sprintf("chunk-%d", chunk), under[chunk])
	}
	return kept, err
}

// lostTree is a work tree whose folder is gone.
type lostTree struct {
	work.Worktree
	admin string // git's own folder for it
}

// gone are the work trees whose folder is gone, by name.
func (r *Recovery) gone(ctx context.Context) (list []lostTree, err error) {
	trees, err := r.Tree.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	place, _ := git.Locate(r.Tree.Top())
	admins, _ := filepath.Glob(filepath.Join(place.Common(), "worktrees", "*")) // the pattern is well-formed
	for _, admin := range admins {
		text, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err != nil {
			continue
		}
		path := filepath.Dir(strings.TrimSpace(string(text)))
		for _, w := range trees {
			if w.Missing && (w.Path == path || filepath.Clean(filepath.Join(admin, path)) == w.Path) {
				list = append(list, lostTree{w, admin})
			}
		}
	}
	return list, nil
}

// forget keeps what git's own folder of a work tree that is gone still has:
// what was staged there, and what warp had saved before an agent ran. Then git
// may forget the work tree.
func (r *Recovery) forget(ctx context.Context, name string, w lostTree) (kept []string, err error) {
	if w.Locked {
		return nil, fmt.Errorf("the folder of the work tree %s is gone, but it is locked, as those on disks that come and go are: git worktree unlock it, then try again", w.Path)
	}
	if err := r.endServer(ctx, w.Path); err != nil {
		return nil, err
	}
	ref, whole, err := r.keepStaged(ctx, name, w)
	if err != nil {
		return nil, err
	}
	if ref != "" {
		kept = append(kept, ref)
	}
	saved := filepath.Join(w.admin, "warp")
	if !whole {
		if err := errors.Join(os.MkdirAll(saved, 0o755), os.Rename(filepath.Join(w.admin, "index"), filepath.Join(saved, "index"))); err != nil {
			return kept, fmt.Errorf("the index of %s could not be kept, so the work tree is not forgotten: %w", w.Path, err)
		}
	}
	if entries, err := os.ReadDir(saved); err == nil && len(entries) > 0 {
		place, _ := git.Locate(r.Tree.Top())
		to := filepath.Join(place.Common(), "warp", fmt.Sprintf("recovered-%s-%d", filepath.Base(w.admin), r.Env.Now().UnixMilli()))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(saved, to)); err != nil {
			return kept, fmt.Errorf("what was saved in %s could not be kept, so the work tree is not forgotten: %w", saved, err)
		}
		kept = append(kept, to)
	}
	return kept, r.Tree.RemoveWorktree(ctx, w.Path, true)
}

// keepStaged keeps what was staged in a work tree that is gone as a tree; ref is
// "" where that is what its commit has. Of an index with conflicts no tree can be
// made: then it is not whole, and the file itself has to be kept.
func (r *Recovery) keepStaged(ctx context.Context, name string, w lostTree) (ref string, whole bool, err error) {
	index := filepath.Join(w.admin, "index")
	if _, err := os.Lstat(index); err != nil || w.Head == "" {
		return "", true, nil
	}
	a, err := r.Tree.Repo().Run(ctx, git.Call{Args: []string{"write-tree"}, Env: []string{"GIT_INDEX_FILE=" + index}})
	if err != nil || a.Exit != 0 {
		return "", false, err
	}
	staged := strings.TrimSpace(string(a.Stdout))
	if staged == r.line(ctx, "rev-parse", "--verify", "-q", w.Head+"^{tree}") {
		return "", true, nil
	}
	ref, err = r.keep(ctx, name, "staged", staged)
	return ref, true, err
}

// endServer ends the dev server of a work tree that is gone, or makes room: it
// would have the port that the next one wants.
func (r *Recovery) endServer(ctx context.Context, path string) error {
	return takedown.Server(ctx, turnstile.Open(path, r.Env).Store(), path, r.Env.Started)
}

// makeRoom moves a folder away that stands where a work tree is to be and is
// none of this repository's. Its files are also kept as a tree.
func (r *Recovery) makeRoom(ctx context.Context, issue, path string) (kept []string, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.IsDir() {
		err = r.endServer(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	if tree, err := r.folder(ctx, path); err != nil {
		return nil, err
	} else if tree != "" {
		ref, err := r.keep(ctx, issue, "folder", tree)
		if err != nil {
			return nil, err
		}
		kept = append(kept, ref)
	}
	to := fmt.Sprintf("%s%s%d", path, setAside, r.Env.Now().UnixMilli())
	if err := os.Rename(path, to); err != nil {
		return kept, fmt.Errorf("%s stands where the work tree is to be and could not be moved away: %w", path, err)
	}
	return append(kept, to), nil
}

// folder writes a folder that is no work tree as a tree; "": it is empty.
func (r *Recovery) folder(ctx context.Context, path string) (string, error) {
	stage, err := r.blank()
	if err != nil {
		return "", err
	}
	defer stage.Remove()
	place, _ := git.Locate(r.Tree.Top())
	env := append([]string{"GIT_DIR=" + place.Common(), "GIT_WORK_TREE=" + path}, stage.Env...)
	at := git.Repo{Dir: path}
	var tree string
	for _, args := range [][]string{{"add", "-A", "--", "."}, {"rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ".claude"}, {"write-tree"}} {
		a, err := at.Run(ctx, git.Call{Args: args, Env: env})
		if err := failed("keeping the files in "+path, a, err); err != nil {
			return "", err
		}
		tree = strings.TrimSpace(string(a.Stdout))
	}
	if empty, err := r.Tree.Repo().EmptyTree(); err != nil || tree == empty {
		return "", err
	}
	return tree, nil
}

func (r *Recovery) blank() (git.Stage, error) {
	root, err := r.Tree.Repo().Root()
	if err != nil {
		return git.Stage{}, err
	}
	return root.Blank()
}
