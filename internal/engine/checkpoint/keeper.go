// Package checkpoint keeps points of a workflow that can be gone back to, and
// goes back to them: work tree, branch and state together.
//
// It guarantees:
//
//   - What a checkpoint has is not collected by git, whatever becomes of the
//     branch: a reference of its own holds it, under refs/warp/checkpoint/.
//   - A checkpoint that was begun when something died is completed by the next
//     call, not made a second time; none is ever written over.
//   - Going back loses nothing: work tree, index, branch and state as they were
//     are kept first, and what could not be kept is a reason to refuse.
//
// The project's .claude is no part of a checkpoint's tree: it is the state's,
// and stays as it is but for agent-state.json. When to make checkpoints is left
// to the workflow.
package checkpoint

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/name"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// Lease is what keeps a workflow from running while another point is gone back
// to, and the other way round.
const Lease = "workflow"

// Keeper makes checkpoints and goes back to them.
type Keeper struct {
	Store  *durable.Store
	Work   work.Tree
	Now    func() time.Time
	PID    int                // who holds the lease while Restore is at work
	Host   string             // likewise
	Passed func(point string) // for tests of crashes
}

// Point is a checkpoint.
type Point struct {
	N int
	workflow.Checkpoint
	Left       bool // a restore has gone back behind it
	NoCommit   bool // its commit is gone
	NoSnapshot bool // its snapshot of the state is gone
}

// Usable tells whether it can be gone back to.
func (p Point) Usable() bool { return !p.NoCommit && !p.NoSnapshot }

// List lists the checkpoints of the workflow, the oldest first.
func (k Keeper) List(ctx context.Context) ([]Point, error) {
	v, err := k.state()
	if err != nil {
		return nil, err
	}
	if err := k.mend(v.Doc); err != nil {
		return nil, err
	}
	files, err := k.snapshots()
	if err != nil {
		return nil, err
	}
	commits, err := k.commits(ctx, v.Doc.Checkpoints)
	if err != nil {
		return nil, err
	}
	points := []Point{}
	for _, c := range v.Doc.Checkpoints {
		p := Point{Checkpoint: c, Left: left(&c)}
		p.N, _ = workflow.SnapshotNumber(c.StateSnapshot)
		p.NoSnapshot, p.NoCommit = !files[p.N], !commits[c.GitSHA]
		points = append(points, p)
	}
	return points, nil
}

var kind = durable.Kind[workflow.State]{Name: workflow.Name, Validate: workflow.Validate}

func (k Keeper) document() *durable.Doc[workflow.State] {
	return durable.Open(k.Store, workflow.File, kind)
}

// state reads the state. One in the old format is refused before a store takes it
// for damaged.
func (k Keeper) state() (v durable.View[workflow.State], err error) {
	text, err := k.Store.ReadFile(k.file(workflow.File))
	if err != nil {
		return v, err
	}
	if tree, err := lossless.Parse(text); err == nil {
		if err := workflow.Recognise(tree); err != nil {
			return v, err
		}
	}
	return k.document().Read()
}

// Snapshot reads the state that a checkpoint has.
func (k Keeper) Snapshot(n int) (*workflow.State, error) {
	text, err := k.Store.ReadFile(k.file(workflow.SnapshotFile(n)))
	if err == nil && len(text) == 0 {
		return nil, &Refused{N: n, Reason: NoSnapshot, Why: workflow.SnapshotFile(n) + " is missing", Do: "warp checkpoint list shows which can be gone back to"}
	}
	s, err := parse(text, err)
	if err != nil {
		return nil, &Refused{N: n, Reason: NoSnapshot, Why: fmt.Sprintf("%s cannot be read: %v", workflow.SnapshotFile(n), err), Do: "warp checkpoint list shows the others", Err: err}
	}
	return s, nil
}

func parse(text []byte, err error) (*workflow.State, error) {
	if err != nil {
		return nil, err
	}
	tree, err := lossless.Parse(text)
	s := &workflow.State{}
	if err == nil {
		err = lossless.Decode(tree, s)
	}
	if err == nil {
		err = workflow.Validate(s)
	}
	return s, err
}

// snapshots are the numbers of the snapshot files that are there.
func (k Keeper) snapshots() (map[int]bool, error) {
	names, err := k.Store.List(filepath.Base(k.Store.Dir()))
	there := map[int]bool{}
	for _, f := range names {
		if n, ok := workflow.SnapshotNumber(f); ok {
			there[n] = true
		}
	}
	return there, err
}

// file is the path of something of the store's, from the project's root.
func (k Keeper) file(name string) string {
	return filepath.ToSlash(filepath.Join(filepath.Base(k.Store.Dir()), name))
}

func (k Keeper) write(name string, text []byte) error {
	return k.Store.EditFile(k.file(name), func([]byte) ([]byte, error) { return text, nil })
}

// folder is where the references of a workflow's checkpoints stand, as work.Tree
// names them.
func folder(s *workflow.State) string {
	id := s.ID
	if id == "" {
		id = strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime)
	}
	if !name.Valid(id) || !git.IsRef(id) {
		id = name.Slug(id, 60)
	}
	return "checkpoint/" + id + "/"
}

func ref(s *workflow.State, n int) string { return fmt.Sprintf("%s%03d", folder(s), n) }

// leftBehind marks a checkpoint that a restore has gone back behind: it can be
// gone forward to, but is none of what is made from here on.
const leftBehind = "left_behind"

func left(c *workflow.Checkpoint) bool { return c.Source() != nil && c.Source().Get(leftBehind) != nil }

func leave(c *workflow.Checkpoint, at time.Time) {
	src := c.Source()
	if src == nil {
		src = lossless.NewObject()
	}
	c.Remember(src.With(leftBehind, lossless.NewString(workflow.Stamp(at))))
}

func (k Keeper) passed(point string) {
	if k.Passed != nil {
		k.Passed(point)
	}
}
