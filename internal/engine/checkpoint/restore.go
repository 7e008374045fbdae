package checkpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Restored is what going back did.
type Restored struct {
	N        int      `json:"checkpoint"`
	Branch   string   `json:"branch"`
	Head     string   `json:"head"`               // where the branch is now
	Was      string   `json:"was"`                // where it was
	Changed  int      `json:"changed"`            // paths of the work tree
	Salvage  []string `json:"salvage"`            // references that hold what was there before
	State    string   `json:"state"`              // the file that holds the state as it was; "": there was none
	Revealed []string `json:"revealed,omitempty"` // files that were ignored before, and are not now
}

// target is a checkpoint that is to be gone back to.
type target struct {
	n          int
	state      *workflow.State
	head, tree string
}

// find looks a checkpoint up by its snapshot, which names itself.
func (k Keeper) find(ctx context.Context, n int) (t target, err error) {
	t.n = n
	if t.state, err = k.Snapshot(n); err != nil {
		return t, err
	}
	i := slices.IndexFunc(t.state.Checkpoints, func(c workflow.Checkpoint) bool { return c.StateSnapshot == workflow.SnapshotFile(n) })
	if i < 0 {
		return t, &Refused{N: n, Reason: NoSnapshot, Why: workflow.SnapshotFile(n) + " does not say which commit it belongs to", Do: "warp checkpoint list shows the others"}
	}
	row := t.state.Checkpoints[i]
	c, err := k.commit(ctx, row.GitSHA)
	if err != nil {
		return t, &Refused{N: n, Reason: NoCommit, Why: fmt.Sprintf("its commit %s is not in this repository", text.Hash(row.GitSHA)), Do: "fetch it from where it is; warp checkpoint list shows the others", Err: err}
	}
	t.head, t.tree = c.under(ref(t.state, n)), c.tree
	return t, nil
}

// Restore goes back, or forward, to a checkpoint: the work tree becomes what it
// was, the workflow's branch is moved to what was checked out, and the state
// becomes the snapshot's, but for checkpoints that it did not know: they stay, so
// that one can go forward again. What is there now is kept first. Interrupted, it
// is to be called again. A *Refused says that nothing was changed.
func (k Keeper) Restore(ctx context.Context, n int) (r Restored, err error) {
	hold, err := k.hold(n)
	if err != nil {
		return r, err
	}
	defer func() { _ = hold.Release() }()
	beating, enough := context.WithCancel(ctx)
	defer enough()
	go func() { _ = hold.Keep(beating) }() // nobody takes it while its holder lives
	t, now, list, err := k.look(ctx, n)
	if err != nil {
		return r, err
	}
	r = Restored{N: n, Head: t.head, Was: now.head, Changed: len(list)}
	if r.Branch, err = k.branch(t); err != nil {
		return r, err
	}
	if err := k.salvage(ctx, &r, t.state, now); err != nil {
		return r, err
	}
	if err := k.intend(n); err != nil {
		return r, err
	}
	k.passed("restore_salvaged")
	if err := k.carry(context.WithoutCancel(ctx), &r, t, list); err != nil { // who interrupts now gets it whole
		return r, fmt.Errorf("checkpoint %d is restored in part (warp checkpoint restore %d completes it): %w", n, n, err)
	}
	return r, nil
}

// carry carries out what was found to be possible.
func (k Keeper) carry(ctx context.Context, r *Restored, t target, list []step) (err error) {
	if err := k.put(ctx, list, t.tree); err != nil {
		return err
	}
	k.passed("restore_tree")
	if r.Was != t.head {
		if err := k.Work.Move(ctx, r.Branch, t.head, r.Was); err != nil {
			return err
		}
	}
	k.passed("restore_branch")
	if r.Revealed, err = k.settle(ctx, t.tree); err != nil {
		return err
	}
	if err := k.putState(t, *r); err != nil {
		return err
	}
	k.passed("restore_state")
	return k.Store.RemoveFile(k.file(restoring))
}

// look finds out what has to be done, and refuses what must not be.
func (k Keeper) look(ctx context.Context, n int) (t target, now present, list []step, err error) {
	v, err := k.state()
	known := err == nil
	if err != nil && !durable.IsMissing(err) {
		return t, now, nil, err
	}
	if known {
		if err := k.mend(v.Doc); err != nil {
			return t, now, nil, err
		}
	}
	if t, err = k.find(ctx, n); err != nil {
		return t, now, nil, err
	}
	if known && folder(v.Doc) != folder(t.state) {
		return t, now, nil, &Refused{N: n, Reason: Other, Why: workflow.SnapshotFile(n) + " is of another workflow than the one that is here", Do: "warp checkpoint list shows this one's"}
	}
	if err := k.free(n); err != nil {
		return t, now, nil, err
	}
	now, err = k.present(ctx)
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = &Refused{N: n, Reason: Unreadable, Why: "these files cannot be read, so they could not be kept: " + text.Quote(u.Paths, 10), Do: "make them readable or move them away, then try again", Err: err}
	}
	if err != nil {
		return t, now, nil, err
	}
	if list, err = k.steps(ctx, now.tree, t.tree); err == nil {
		err = k.clear(ctx, n, list, now.tree)
	}
	return t, now, list, err
}

// putState makes the snapshot the state, with the checkpoints that it did not
// know.
func (k Keeper) putState(t target, r Restored) error {
	_, err := k.document().Update(func(tx *durable.Tx[workflow.State]) error {
		next := *t.state
		if tx.Doc != nil {
			for _, c := range tx.Doc.Checkpoints {
				if !slices.ContainsFunc(next.Checkpoints, func(o workflow.Checkpoint) bool { return o.StateSnapshot == c.StateSnapshot }) {
					if !left(&c) {
						leave(&c, k.Now())
					}
					next.Checkpoints = append(next.Checkpoints, c)
				}
			}
			slices.SortStableFunc(next.Checkpoints, func(a, b workflow.Checkpoint) int {
				x, _ := workflow.SnapshotNumber(a.StateSnapshot)
				y, _ := workflow.SnapshotNumber(b.StateSnapshot)
				return cmp.Compare(x, y)
			})
		}
		if tx.Doc == nil {
			tx.Doc = &next
		}
		*tx.Doc = next // members that we do not know stay
		tx.Log("restored", r)
		return nil
	})
	return err
}

// restoring is the file that says which checkpoint is being gone back to.
const restoring = "state/checkpoint-restoring.json"

// intend notes that work tree and state are about to change.
func (k Keeper) intend(n int) error {
	text, err := json.Marshal(map[string]int{"checkpoint": n})
	if err != nil {
		return err
	}
	return k.write(restoring, append(text, '\n'))
}

// Interrupted tells whether going back to a checkpoint was begun and not
// completed. Until it is, nothing may be built on work tree and state.
func (k Keeper) Interrupted() (n int, under bool, err error) {
	text, err := k.Store.ReadFile(k.file(restoring))
	if err != nil || len(text) == 0 {
		return 0, false, err
	}
	var note struct {
		N int `json:"checkpoint"`
	}
	if err := json.Unmarshal(text, &note); err != nil {
		return 0, true, fmt.Errorf("reading %s: %w; restore a checkpoint, which writes it anew", k.file(restoring), err)
	}
	return note.N, true, nil
}
