package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// salvage keeps what is there now: the work tree as a commit on top of the
// branch's tip, what is staged where that is neither, and the state beside.
func (k Keeper) salvage(ctx context.Context, r *Restored, s *workflow.State, now present) error {
	a, err := k.run(ctx, git.Call{Args: []string{"write-tree"}})
	if err != nil {
		return err
	}
	if a.Exit != 0 {
		return &Refused{N: r.N, Reason: Busy, Why: "the index cannot be kept: " + a.Stderr, Do: "resolve the conflicts and git add the files, then try again"}
	}
	staged := strings.TrimSpace(string(a.Stdout))
	name, at, err := k.vacant(ctx, s)
	if err != nil {
		return err
	}
	sha, err := k.record(ctx, now, fmt.Sprintf("warp salvage before checkpoint %d was restored", r.N), name)
	if err != nil {
		return err
	}
	keep := map[string]string{name: sha}
	if staged != now.headTree && staged != now.tree {
		keep[name+"-staged"] = staged
	}
	for _, name := range []string{name, name + "-staged"} {
		if keep[name] == "" {
			continue
		}
		if err := k.Work.Keep(ctx, name, keep[name]); err != nil {
			return fmt.Errorf("what is there now could not be kept, so nothing was changed: %w", err)
		}
		r.Salvage = append(r.Salvage, "refs/warp/"+name)
	}
	v, err := k.document().Read()
	if durable.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	file := stateFile(at)
	r.State = k.file(file)
	return k.write(file, workflow.Print(v.Doc, v.Tree))
}

// stamped is how a name tells when it was kept: warp clean reads it.
const stamped = "20060102T150405"

func stateFile(at time.Time) string { return "checkpoint-salvage-" + at.Format(stamped) + ".json" }

// vacant is a name that keeps nothing yet.
func (k Keeper) vacant(ctx context.Context, s *workflow.State) (name string, at time.Time, err error) {
	refs, err := k.Work.Kept(ctx, folder(s))
	if err != nil {
		return "", at, err
	}
	taken := map[string]bool{}
	for _, r := range refs {
		taken[r.Name] = true
	}
	for at = k.Now().UTC(); ; at = at.Add(time.Second) {
		name = folder(s) + "salvage-" + at.Format(stamped)
		if _, err := os.Lstat(filepath.Join(k.Store.Dir(), stateFile(at))); !taken[name] && errors.Is(err, fs.ErrNotExist) {
			return name, at, nil
		}
	}
}

// put makes the work tree what a tree has: first what has to go, with the folders
// that are empty then, since a file may come where a folder was.
func (k Keeper) put(ctx context.Context, list []step, tree string) error {
	var gone, come []string
	for _, s := range list {
		if s.to == none {
			gone = append(gone, s.path)
		} else {
			come = append(come, s.path)
		}
	}
	empty, err := k.Work.Repo().EmptyTree()
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		if err := k.Work.Restore(ctx, empty, gone, true); err != nil {
			return err
		}
		if err := k.prune(gone); err != nil {
			return err
		}
	}
	if len(come) == 0 {
		return nil
	}
	return k.Work.Restore(ctx, tree, come, false)
}

// prune removes the folders of paths that are gone, as far up as they are empty.
func (k Keeper) prune(gone []string) error {
	root, err := os.OpenRoot(k.Work.Top())
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range gone {
		for d := path.Dir(p); d != "."; d = path.Dir(d) {
			if info, err := root.Lstat(d); err != nil || !info.IsDir() || root.Remove(d) != nil {
				break // it is gone already, or holds something
			}
		}
	}
	return nil
}

// settle has the index follow the branch, and makes sure that the work tree is
// what it should be. What was ignored until now, and is not any more, is left
// where it is and told.
func (k Keeper) settle(ctx context.Context, tree string) (revealed []string, err error) {
	if _, err := k.line(ctx, nil, "reset", "-q"); err != nil {
		return nil, err
	}
	list, err := k.differs(ctx, tree)
	if err != nil {
		return nil, err
	}
	var forced []string // ignored, and added all the same
	for _, s := range list {
		if _, err := os.Lstat(filepath.Join(k.Work.Top(), filepath.FromSlash(s.path))); s.to == none && err == nil {
			forced = append(forced, s.path)
		}
	}
	if len(forced) > 0 {
		if _, err := k.must(ctx, git.Call{Args: []string{"update-index", "--add", "-z", "--stdin"}, Stdin: []byte(strings.Join(forced, "\x00") + "\x00")}); err != nil {
			return nil, err
		}
		if list, err = k.differs(ctx, tree); err != nil {
			return nil, err
		}
	}
	var wrong []string
	for _, s := range list {
		if s.from == none {
			revealed = append(revealed, s.path)
		} else {
			wrong = append(wrong, s.path)
		}
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("these files are not what the checkpoint has, as if somebody else worked here: %s; run it again", text.Quote(wrong, 10))
	}
	return revealed, nil
}

// differs lists what leads from a tree to the work tree.
func (k Keeper) differs(ctx context.Context, tree string) ([]step, error) {
	now, err := k.present(ctx)
	if err != nil {
		return nil, err
	}
	return k.steps(ctx, tree, now.tree)
}
