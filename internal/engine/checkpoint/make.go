package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/workflow"
	"warp/internal/durable"
)

// Make makes a checkpoint of the work tree and the state as they are, and returns
// its number. Called again for the same phase and task, it returns the one that
// there is: after a crash nothing is made twice. Where a restore has gone back
// behind that one, another is made.
//
// git_sha is HEAD when the work tree is as HEAD has it, else a commit on top of
// HEAD that is on no branch. The reference is written first, then the row, then
// the files; update makes a change to agent-state.json durable.
func (k Keeper) Make(ctx context.Context, update func(what string, fn func(*workflow.State) error) error, phase int, task string) (n int, err error) {
	if n, under, err := k.Interrupted(); err != nil || under {
		return 0, orInterrupted(err, n)
	}
	v, err := k.state()
	if durable.IsMissing(err) { // an agent may have removed the file: who updates it knows what it said
		if err = update("checkpoint", func(*workflow.State) error { return nil }); err == nil {
			v, err = k.state()
		}
	}
	if err != nil {
		return 0, err
	}
	if err := k.mend(v.Doc); err != nil {
		return 0, err
	}
	if n, err := k.made(v, phase, task); n > 0 || err != nil {
		return n, err
	}
	now, err := k.present(ctx)
	if err != nil {
		return 0, err
	}
	n, sha, err := k.number(ctx, v.Doc, now, fmt.Sprintf("phase %d, %s", phase, task))
	if err != nil {
		return 0, err
	}
	if err := k.Work.Keep(ctx, ref(v.Doc, n), sha); err != nil {
		return 0, fmt.Errorf("keeping checkpoint %d: %w", n, err)
	}
	k.passed("checkpoint_ref")
	var text []byte
	err = update("checkpoint", func(s *workflow.State) error {
		if !s.CheckpointMade(n, phase, task, sha, k.Now()) {
			return fmt.Errorf("checkpoint %d was made by somebody else meanwhile", n)
		}
		text = workflow.Print(s, v.Tree)
		return k.jot(n, text)
	})
	if err != nil {
		return 0, err
	}
	k.passed("checkpoint_row")
	if err := k.files(n, text, true); err != nil {
		return 0, err
	}
	k.passed("checkpoint_files")
	return n, nil
}

// made finds the checkpoint of a phase and task. A snapshot of it that is missing
// is written from the state as it is: the caller says that this is the moment.
func (k Keeper) made(v durable.View[workflow.State], phase int, task string) (n int, err error) {
	i := slices.IndexFunc(v.Doc.Checkpoints, func(c workflow.Checkpoint) bool { return c.Phase == phase && c.Task == task && !left(&c) })
	if i < 0 {
		return 0, nil
	}
	n, ok := workflow.SnapshotNumber(v.Doc.Checkpoints[i].StateSnapshot)
	if !ok {
		return 0, nil // another tool's
	}
	there, err := k.snapshots()
	if err != nil || there[n] {
		return n, err
	}
	return n, k.files(n, workflow.Print(v.Doc, v.Tree), n == v.Doc.LastCheckpoint())
}

// number finds the next number, and the commit for it. A reference that a crash
// has left without its row is taken for what it is when it holds the same, and
// left alone when it does not.
func (k Keeper) number(ctx context.Context, s *workflow.State, now present, about string) (n int, sha string, err error) {
	there, err := k.snapshots()
	if err != nil {
		return 0, "", err
	}
	refs, err := k.Work.Kept(ctx, folder(s))
	if err != nil {
		return 0, "", err
	}
	kept := map[string]string{}
	for _, r := range refs {
		kept[r.Name] = r.Object
	}
	n = s.LastCheckpoint()
	for f := range there {
		n = max(n, f)
	}
	for {
		n++
		if sha, err = k.record(ctx, now, fmt.Sprintf("warp checkpoint %d: %s", n, about), ref(s, n)); err != nil {
			return 0, "", err
		}
		if object, ok := kept[ref(s, n)]; !ok || object == sha {
			return n, sha, nil
		}
	}
}

// files writes a checkpoint's snapshot, and the newest's.
func (k Keeper) files(n int, text []byte, newest bool) error {
	if err := k.write(workflow.SnapshotFile(n), text); err != nil {
		return err
	}
	if newest {
		if err := k.write(workflow.CheckpointFile, text); err != nil {
			return err
		}
	}
	_ = os.Remove(k.jotted(n)) // written again, it would say the same
	return nil
}

func (k Keeper) jotted(n int) string {
	return filepath.Join(k.Store.Dir(), "state", workflow.SnapshotFile(n))
}

// jot notes the snapshot of a checkpoint whose row is about to be written.
func (k Keeper) jot(n int, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(k.jotted(n)), 0o700); err != nil {
		return err
	}
	return durable.Jot(k.jotted(n), text)
}

// mend writes the files of checkpoints that have a row, and whose maker was
// killed before it had written them.
func (k Keeper) mend(s *workflow.State) error {
	for i := range s.Checkpoints {
		n, ok := workflow.SnapshotNumber(s.Checkpoints[i].StateSnapshot)
		if !ok {
			continue
		}
		text, err := os.ReadFile(k.jotted(n))
		was, err := parse(text, err)
		if err != nil || !has(was, s.Checkpoints[i]) {
			continue
		}
		if err := k.files(n, text, n == s.LastCheckpoint()); err != nil {
			return err
		}
	}
	return nil
}

// has tells whether a state has a checkpoint.
func has(s *workflow.State, c workflow.Checkpoint) bool {
	return slices.ContainsFunc(s.Checkpoints, func(o workflow.Checkpoint) bool {
		return o.StateSnapshot == c.StateSnapshot && o.GitSHA == c.GitSHA && o.Timestamp == c.Timestamp
	})
}
