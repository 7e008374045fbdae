package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Restored is the result of a restore.
type Restored struct {
	N        int      `json:"checkpoint"`
	Branch   string   `json:"branch"`
	Head     string   `json:"head"`               // the branch's present commit
	Was      string   `json:"was"`                // its commit before
	Changed  int      `json:"changed"`            // paths of the work tree
	Salvage  []string `json:"salvage"`            // refs that hold what was there before
	State    string   `json:"state"`              // the file with the state before; "": there was none
	Unsigned bool     `json:"unsigned,omitempty"` // the snapshot is not signed: warp may not have written it
	Revealed []string `json:"revealed,omitempty"` // formerly ignored files
}

// target is a checkpoint to restore, and what leads to it.
type target struct {
	n          int
	state      *workflowstate.State
	head, tree string
	now        present
	changes    []change
}

// find looks up a checkpoint by its snapshot, which names itself.
func (k Keeper) find(ctx context.Context, n int) (t target, err error) {
	t.n = n
	if t.state, err = k.Snapshot(n); err != nil {
		return t, err
	}
	i := slices.IndexFunc(t.state.Checkpoints, func(c workflowstate.Checkpoint) bool { return c.StateSnapshot == workflowstate.SnapshotFile(n) })
	if i < 0 {
		return t, &refusedError{N: n, Reason: NoSnapshot, Why: workflowstate.SnapshotFile(n) + " does not say which commit it belongs to", Do: "warp checkpoint list shows the others"}
	}
	sha := t.state.Checkpoints[i].GitSHA
	c, err := k.repository().commit(ctx, sha)
	if err != nil {
		return t, &refusedError{N: n, Reason: NoCommit, Why: fmt.Sprintf("its commit %s is not in this repository", text.Hash(sha)), Do: "fetch it; warp checkpoint list shows the others", Err: err}
	}
	t.head, t.tree = c.under(ref(t.state, n)), c.tree
	return t, nil
}

// Restore goes back, or forward, to a checkpoint: it restores the work tree, moves the workflow's
// branch to what was checked out, and makes the snapshot the state, except that newer checkpoints
// stay, so that one can go forward again. What is there now is kept first. After an interruption,
// call it again. A *refusedError means that nothing was changed.
func (k Keeper) Restore(ctx context.Context, n int) (r Restored, err error) {
	hold, err := k.hold(ctx, n)
	if err != nil {
		return r, err
	}
	defer hold.Release()
	t, err := k.plan(ctx, n)
	if err != nil {
		return r, err
	}
	r = Restored{N: n, Unsigned: !k.records().signed(n), Head: t.head, Was: t.now.head.sha, Changed: len(t.changes)}
	if r.Branch, err = k.branch(t); err != nil {
		return r, err
	}
	if err := k.salvage(ctx, &r, t); err != nil {
		return r, err
	}
	note, err := json.Marshal(restoring{n})
	if err != nil {
		return r, err
	}
	if err := k.records().write(restoringFile, append(note, '\n')); err != nil {
		return r, err
	}
	k.passed("restore_salvaged")
	if err := k.carryOut(context.WithoutCancel(ctx), &r, t); err != nil { // an interruption from here on does not stop it
		return r, fmt.Errorf("checkpoint %d is partly restored (warp checkpoint restore %d completes it): %w", n, n, err)
	}
	return r, nil
}

// plan determines what to do, and refuses what must not be done.
func (k Keeper) plan(ctx context.Context, n int) (t target, err error) {
	v, err := k.records().read()
	if err != nil && !durable.IsMissing(err) {
		return t, err
	}
	if t, err = k.find(ctx, n); err != nil {
		return t, err
	}
	if v.Doc != nil && folder(v.Doc) != folder(t.state) {
		return t, &refusedError{N: n, Reason: Other, Why: workflowstate.SnapshotFile(n) + " belongs to another workflow", Do: "warp checkpoint list shows this one's"}
	}
	if err := k.refuseBusy(n); err != nil {
		return t, err
	}
	t.now, err = k.repository().look(ctx)
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = &refusedError{N: n, Reason: Unreadable, Why: "these files cannot be read, so they could not be kept: " + text.Quote(u.Paths, 10), Do: "make them readable or move them away, then try again", Err: err}
	}
	if err != nil {
		return t, err
	}
	if t.changes, err = k.repository().changes(ctx, t.now.tree, t.tree); err != nil {
		return t, err
	}
	return t, k.repository().refuseLoss(ctx, t)
}

// carryOut does what plan found.
func (k Keeper) carryOut(ctx context.Context, r *Restored, t target) (err error) {
	if err := k.repository().put(ctx, t.changes, t.tree); err != nil {
		return err
	}
	k.passed("restore_tree")
	if r.Was != t.head {
		if err := k.Work.Move(ctx, r.Branch, t.head, r.Was); err != nil {
			return err
		}
	}
	k.passed("restore_branch")
	if _, err := k.repository().line(ctx, "reset", "-q"); err != nil {
		return err
	}
	if r.Revealed, err = k.repository().settle(ctx, t.tree); err != nil {
		return err
	}
	if err := k.records().remember(t.n, t.state); err != nil {
		return err
	}
	if err := k.putState(t, *r); err != nil {
		return err
	}
	k.passed("restore_state")
	return k.Store.RemoveFile(k.records().path(restoringFile))
}

// putState makes the snapshot the state, plus the checkpoints that it does not know.
func (k Keeper) putState(t target, r Restored) error {
	_, err := k.records().document().Update(func(tx *durable.Tx[workflowstate.State]) error {
		next := *t.state
		next.Memory = nil // it is in the engine's folder by now
		if tx.Doc == nil {
			tx.Doc = &workflowstate.State{}
		}
		for _, c := range tx.Doc.Checkpoints {
			if slices.ContainsFunc(next.Checkpoints, func(o workflowstate.Checkpoint) bool { return o.StateSnapshot == c.StateSnapshot }) {
				continue
			}
			if !isLeft(&c) {
				leave(&c, k.Now())
			}
			next.Checkpoints = append(next.Checkpoints, c)
		}
		slices.SortStableFunc(next.Checkpoints, func(a, b workflowstate.Checkpoint) int {
			x, _ := workflowstate.SnapshotNumber(a.StateSnapshot)
			y, _ := workflowstate.SnapshotNumber(b.StateSnapshot)
			return cmp.Compare(x, y)
		})
		*tx.Doc = next // unknown members stay
		tx.Log("restored", r)
		return nil
	})
	return err
}

// salvage keeps what is there now: the work tree as a commit on top of the branch's tip, the index
// if different, and a copy of the state.
func (k Keeper) salvage(ctx context.Context, r *Restored, t target) error {
	staged, err := k.repository().line(ctx, "write-tree")
	if f := (*git.Failure)(nil); errors.As(err, &f) {
		return &refusedError{N: r.N, Reason: Busy, Why: "the index cannot be kept: " + f.Stderr, Do: "resolve the conflicts and git add the files, then try again"}
	}
	if err != nil {
		return err
	}
	name, file, err := k.vacantNames(ctx, t.state)
	if err != nil {
		return err
	}
	sha, err := k.repository().record(ctx, t.now, fmt.Sprintf("warp salvage before checkpoint %d was restored", r.N), name)
	if err != nil {
		return err
	}
	keep := [][2]string{{name, sha}}
	if staged != t.now.head.tree && staged != t.now.tree {
		keep = append(keep, [2]string{name + "-staged", staged})
	}
	for _, ref := range keep {
		if err := k.Work.Keep(ctx, ref[0], ref[1]); err != nil {
			return fmt.Errorf("the current state could not be saved, so nothing was changed: %w", err)
		}
		r.Salvage = append(r.Salvage, "refs/warp/"+ref[0])
	}
	v, err := k.records().document().Read()
	if durable.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	r.State = k.records().path(file)
	return k.records().write(file, workflowstate.Print(v.Doc, v.Tree))
}

// nameStamp is the time format in names of kept things: warp clean reads it.
const nameStamp = "20060102T150405"

// vacantNames returns an unused ref and an unused file for the state.
func (k Keeper) vacantNames(ctx context.Context, s *workflowstate.State) (ref, file string, err error) {
	kept, err := k.kept(ctx, s)
	if err != nil {
		return "", "", err
	}
	for at := k.Now().UTC(); ; at = at.Add(time.Second) {
		ref, file = folder(s)+"salvage-"+at.Format(nameStamp), "checkpoint-salvage-"+at.Format(nameStamp)+".json"
		if _, err := os.Lstat(filepath.Join(k.Store.Dir(), file)); kept[ref] == "" && errors.Is(err, fs.ErrNotExist) {
			return ref, file, nil
		}
	}
}

// restoring records which checkpoint is being restored.
type restoring struct {
	N int `json:"checkpoint"`
}

// restoringFile is outside the state folder, which a person may delete at any time.
const restoringFile = "checkpoint-restoring.json"

// Interrupted reports whether a restore is unfinished. Until it is completed, nothing may build on
// the work tree and state.
func (k Keeper) Interrupted() (n int, under bool, err error) {
	file := k.records().path(restoringFile)
	text, err := k.Store.ReadFile(file)
	if err != nil || len(text) == 0 {
		return 0, false, err
	}
	var note restoring
	if err := json.Unmarshal(text, &note); err != nil {
		return 0, true, fmt.Errorf("reading %s: %w; restore a checkpoint to rewrite it", file, err)
	}
	return note.N, true, nil
}
