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

// records are the state of a workflow and the snapshots of it, as files.
type records struct{ store *durable.Store }

func (r records) document() *durable.Doc[workflowstate.State] {
	return durable.Open(r.store, workflowstate.File, durable.Kind[workflowstate.State]{Name: workflowstate.Name, Validate: workflowstate.Validate, Alone: workflowstate.EngineAt})
}

// read reads the state, and writes the snapshots whose maker was killed before it
// had. A state in the old format is refused before a store takes it for damaged.
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

// numbers are those of the snapshot files that are there.
func (r records) numbers() (map[int]bool, error) {
	list, err := r.snapshots()
	there := map[int]bool{}
	for _, k := range list {
		there[k.n] = true
	}
	return there, err
}

// path is that of a file of the store, from the project's root.
func (r records) path(name string) string {
	return filepath.ToSlash(filepath.Join(filepath.Base(r.store.Dir()), name))
}

func (r records) write(name string, text []byte) error {
	return r.store.EditFile(r.path(name), func([]byte) ([]byte, error) { return text, nil })
}

// print is the state as a checkpoint has it: signed, so that it is believed when it
// is copied back over agent-state.json, and with no engine at it.
func (r records) print(s *workflowstate.State, tree *lossless.Value) []byte {
	was := *s
	was.Engine = 0
	return r.document().Seal(lossless.Encode(&was, tree))
}

// signed reports whether the snapshot of a checkpoint is as it was made; true without
// a key, since nothing can tell.
func (r records) signed(n int) bool {
	text, err := r.readSnapshot(n)
	return err != nil || !r.store.Signs() || r.document().Sealed(text)
}

// writeSnapshot writes the snapshot of a checkpoint, and that of the newest.
func (r records) writeSnapshot(n int, text []byte, newest bool) error {
	if err := r.write(workflowstate.SnapshotFile(n), text); err != nil {
		return err
	}
	if newest {
		if err := r.write(workflowstate.CheckpointFile, text); err != nil {
			return err
		}
	}
	_ = durable.RemoveFile(r.jotted(n)) // written again, it would say the same
	return nil
}

func (r records) jotted(n int) string {
	return filepath.Join(r.store.Dir(), "state", workflowstate.SnapshotFile(n))
}

// jot notes the snapshot of a checkpoint whose row is about to be written.
func (r records) jot(n int, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(r.jotted(n)), 0o700); err != nil {
		return err
	}
	return durable.WriteNote(r.jotted(n), text)
}

// complete writes the snapshots of checkpoints that have a row, and whose maker
// was killed before it had written them.
func (r records) complete(s *workflowstate.State) error {
	for _, c := range s.Checkpoints {
		n, _ := workflowstate.SnapshotNumber(c.StateSnapshot)
		text, err := durable.ReadPlain(r.jotted(n))
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

// leftBehind marks a checkpoint when an older one is restored: it can be restored
// as well, but is none of what is made from here on.
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
