package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
)

// records are a workflow's state and its snapshots, as files.
type records struct{ store *durable.Store }

func (r records) document() *durable.Doc[workflowstate.State] {
	return durable.Open(r.store, workflowstate.File, durable.Kind[workflowstate.State]{Name: workflowstate.Name, Validate: workflowstate.Validate, Alone: workflowstate.EngineAt})
}

// read reads the state, and completes snapshots whose maker was killed. It refuses a state in the
// old format before the store treats it as damaged.
func (r records) read() (v durable.View[workflowstate.State], err error) {
	text, err := r.store.ReadFile(r.path(workflowstate.File))
	if err != nil {
		return v, err
	}
	if tree, err := lossless.Parse(text); err == nil {
		if err := workflowstate.Recognise(tree); err != nil {
			return v, err
		}
	}
	if v, err = r.document().Read(); err != nil {
		return v, err
	}
	return v, r.complete(v.Doc)
}

func parse(text []byte, err error) (*workflowstate.State, error) {
	if err != nil {
		return nil, err
	}
	tree, err := lossless.Parse(text)
	s := &workflowstate.State{}
	if err == nil {
		err = lossless.Decode(tree, s)
	}
	if err == nil {
		err = workflowstate.Validate(s)
	}
	return s, err
}

// numbers returns the numbers of the existing snapshot files.
func (r records) numbers() (map[int]bool, error) {
	list, err := r.snapshots()
	there := map[int]bool{}
	for _, k := range list {
		there[k.n] = true
	}
	return there, err
}

// path returns the path of a store's file relative to the project's root.
func (r records) path(name string) string {
	return filepath.ToSlash(filepath.Join(filepath.Base(r.store.Dir()), name))
}

func (r records) write(name string, text []byte) error {
	return r.store.EditFile(r.path(name), func([]byte) ([]byte, error) { return text, nil })
}

// print returns the state as a checkpoint stores it: signed, so that it is trusted when copied back
// over agent-state.json, and without an engine.
func (r records) print(s *workflowstate.State, tree *lossless.Value) []byte {
	was := *s
	was.Engine = 0
	return r.document().Seal(lossless.Encode(&was, tree))
}

// signed reports whether a checkpoint's snapshot is unchanged; true without a key, since nothing
// can tell.
func (r records) signed(n int) bool {
	text, err := r.readSnapshot(n)
	return err != nil || !r.store.Signs() || r.document().Sealed(text)
}

// writeSnapshot writes a checkpoint's snapshot, and the newest one's copy.
func (r records) writeSnapshot(n int, text []byte, newest bool) error {
	if err := r.write(workflowstate.SnapshotFile(n), text); err != nil {
		return err
	}
	if newest {
		if err := r.write(workflowstate.CheckpointFile, text); err != nil {
			return err
		}
	}
	_ = durable.RemoveFile(r.draftFile(n)) // rewriting it would change nothing
	return nil
}

func (r records) draftFile(n int) string {
	return filepath.Join(r.store.Dir(), "state", workflowstate.SnapshotFile(n))
}

// saveDraft saves the snapshot of a checkpoint whose row is about to be written.
func (r records) saveDraft(n int, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(r.draftFile(n)), 0o700); err != nil {
		return err
	}
	return durable.WriteNote(r.draftFile(n), text)
}

// complete writes the snapshots of checkpoints that have a row but whose maker was killed before
// writing them.
func (r records) complete(s *workflowstate.State) error {
	for _, c := range s.Checkpoints {
		n, _ := workflowstate.SnapshotNumber(c.StateSnapshot)
		text, err := durable.ReadPlain(r.draftFile(n))
		was, err := parse(text, err)
		if err != nil || !slices.ContainsFunc(was.Checkpoints, func(o workflowstate.Checkpoint) bool {
			return o.StateSnapshot == c.StateSnapshot && o.GitSHA == c.GitSHA && o.Timestamp == c.Timestamp
		}) {
			continue
		}
		if err := r.writeSnapshot(n, text, n == s.Checkpoints.Last()); err != nil {
			return err
		}
	}
	return nil
}

// leftBehind marks a checkpoint when an older one is restored: it can still be restored, but new
// work does not build on it.
const leftBehind = "left_behind"

func isLeft(c *workflowstate.Checkpoint) bool {
	return c.Source() != nil && c.Source().Get(leftBehind) != nil
}

func leave(c *workflowstate.Checkpoint, at time.Time) {
	src := c.Source()
	if src == nil {
		src = lossless.NewObject()
	}
	c.Remember(src.With(leftBehind, lossless.NewString(workflowstate.Stamp(at))))
}
