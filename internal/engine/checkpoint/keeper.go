// Package checkpoint makes and restores checkpoints of a workflow: work tree, branch and state
// together.
//
// It guarantees:
//
//   - Git does not collect a checkpoint, whatever happens to the branch: a separate
//     ref holds it, under refs/warp/checkpoint/.
//   - A checkpoint that was in progress when something died is completed by the next
//     call, not made twice; none is ever overwritten.
//   - Restoring loses nothing: the present work tree, index, branch and state are
//     kept first, and if that is impossible, it refuses.
//
// The project's .claude is not part of a checkpoint's tree: it belongs to the state, and only
// agent-state.json in it changes. The workflow decides when to make checkpoints.
package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// lease keeps a workflow from running during a restore, and vice versa.
const lease = "workflow"

// Keeper makes and restores checkpoints.
type Keeper struct {
	Store  *durable.Store
	Work   gitwrite.Tree
	Now    func() time.Time
	PID    int                // holds the lease during Restore
	Host   string             // like PID
	Passed func(point string) // for crash tests
}

func (k Keeper) records() records { return records{k.Store} }

func (k Keeper) repository() repository { return repository{k.Work} }

func (k Keeper) passed(point string) {
	if k.Passed != nil {
		k.Passed(point)
	}
}

// Point is a checkpoint.
type Point struct {
	N int
	workflowstate.Checkpoint
	Left       bool // an older one was restored since
	NoCommit   bool // its commit is gone
	NoSnapshot bool // its snapshot of the state is gone
}

// Usable reports whether it can be restored.
func (p Point) Usable() bool { return !p.NoCommit && !p.NoSnapshot }

// List lists the workflow's checkpoints, oldest first.
func (k Keeper) List(ctx context.Context) ([]Point, error) {
	v, err := k.records().read()
	if err != nil {
		return nil, err
	}
	files, err := k.records().numbers()
	if err != nil {
		return nil, err
	}
	kinds, err := k.repository().kinds(ctx, v.Doc.Checkpoints)
	if err != nil {
		return nil, err
	}
	points := []Point{}
	for i, c := range v.Doc.Checkpoints {
		n, _ := workflowstate.SnapshotNumber(c.StateSnapshot)
		points = append(points, Point{N: n, Checkpoint: c, Left: isLeft(&c), NoSnapshot: !files[n], NoCommit: kinds[i] != "commit"})
	}
	return points, nil
}

// Make makes a checkpoint of the present work tree and state, and returns its number. Called again
// for the same phase and task, it returns the existing one, so that a crash duplicates nothing. If
// a restore has left that one behind, it makes another.
//
// git_sha is HEAD if the work tree equals it, else a commit on top of HEAD that is on no branch.
// The ref is written first, then the row, then the files; update makes a change to agent-state.json
// durable.
func (k Keeper) Make(ctx context.Context, update func(what string, fn func(*workflowstate.State) error) error, phase int, task string) (n int, err error) {
	n, under, err := k.Interrupted()
	if err == nil && under {
		err = &InterruptedError{n}
	}
	if err != nil {
		return 0, err
	}
	v, err := k.records().read()
	if durable.IsMissing(err) { // an agent may have removed the file: its writer knows its content
		if err = update("checkpoint", func(*workflowstate.State) error { return nil }); err == nil {
			v, err = k.records().read()
		}
	}
	if err != nil {
		return 0, err
	}
	if n, err := k.findMade(v, phase, task); n > 0 || err != nil {
		return n, err
	}
	return k.add(ctx, v, update, workflowstate.Checkpoint{Phase: phase, Task: task})
}

// add makes a new checkpoint.
func (k Keeper) add(ctx context.Context, v durable.View[workflowstate.State], update func(what string, fn func(*workflowstate.State) error) error, c workflowstate.Checkpoint) (n int, err error) {
	n, sha, err := k.number(ctx, v.Doc, fmt.Sprintf("phase %d, %s", c.Phase, c.Task))
	if err != nil {
		return 0, err
	}
	if err := k.Work.Keep(ctx, ref(v.Doc, n), sha); err != nil {
		return 0, fmt.Errorf("keeping checkpoint %d: %w", n, err)
	}
	k.passed("checkpoint_ref")
	var text []byte
	err = update("checkpoint", func(s *workflowstate.State) error {
		if c.GitSHA = sha; !s.Checkpoints.Add(n, c, k.Now()) {
			return fmt.Errorf("another process has already made checkpoint %d", n)
		}
		was := *s
		if c.Manual {
			was.Memory = k.records().memories()
		}
		text = k.records().print(&was, v.Tree)
		return k.records().saveDraft(n, text)
	})
	if err != nil {
		return 0, err
	}
	k.passed("checkpoint_row")
	if err := k.records().writeSnapshot(n, text, true); err != nil {
		return 0, err
	}
	k.passed("checkpoint_files")
	return n, k.records().shrink(listPinned(v.Doc))
}

// listPinned returns the checkpoints whose snapshots are never removed: those that a person made.
func listPinned(s *workflowstate.State) map[int]bool {
	list := map[int]bool{}
	for _, c := range s.Checkpoints {
		if n, ok := workflowstate.SnapshotNumber(c.StateSnapshot); ok && c.Manual {
			list[n] = true
		}
	}
	return list
}

// findMade returns the existing checkpoint of a phase and task, or 0. If its snapshot is missing,
// it is written from the present state: the caller guarantees that this is the moment.
func (k Keeper) findMade(v durable.View[workflowstate.State], phase int, task string) (n int, err error) {
	i := slices.IndexFunc(v.Doc.Checkpoints, func(c workflowstate.Checkpoint) bool {
		return c.Phase == phase && c.Task == task && !c.Manual && !isLeft(&c)
	})
	if i < 0 {
		return 0, nil
	}
	n, ok := workflowstate.SnapshotNumber(v.Doc.Checkpoints[i].StateSnapshot)
	if !ok {
		return 0, nil // another tool's
	}
	there, err := k.records().numbers()
	if err != nil || there[n] {
		return n, err
	}
	return n, k.records().writeSnapshot(n, k.records().print(v.Doc, v.Tree), n == v.Doc.Checkpoints.Last())
}

// number determines the next number, and its commit. A ref that a crash left without its row is
// reused if it holds the same, else left alone.
func (k Keeper) number(ctx context.Context, s *workflowstate.State, about string) (n int, sha string, err error) {
	now, err := k.repository().look(ctx)
	if err != nil {
		return 0, "", err
	}
	there, err := k.records().numbers()
	if err != nil {
		return 0, "", err
	}
	kept, err := k.kept(ctx, s)
	if err != nil {
		return 0, "", err
	}
	n = s.Checkpoints.Last()
	for f := range there {
		n = max(n, f)
	}
	for {
		n++
		if sha, err = k.repository().record(ctx, now, fmt.Sprintf("warp checkpoint %d: %s", n, about), ref(s, n)); err != nil {
			return 0, "", err
		}
		if object, ok := kept[ref(s, n)]; !ok || object == sha {
			return n, sha, nil
		}
	}
}

// kept returns the objects that a workflow's checkpoint refs hold.
func (k Keeper) kept(ctx context.Context, s *workflowstate.State) (map[string]string, error) {
	refs, err := k.Work.Kept(ctx, folder(s))
	kept := map[string]string{}
	for _, r := range refs {
		kept[r.Name] = r.Object
	}
	return kept, err
}

// Snapshot reads the state of a checkpoint.
func (k Keeper) Snapshot(n int) (*workflowstate.State, error) {
	file := workflowstate.SnapshotFile(n)
	text, err := k.records().readSnapshot(n)
	if err == nil && len(text) == 0 {
		return nil, &refusedError{N: n, Reason: NoSnapshot, Why: file + " is missing", Do: "warp checkpoint list shows which can be restored"}
	}
	s, err := parse(text, err)
	if err != nil {
		return nil, &refusedError{N: n, Reason: NoSnapshot, Why: fmt.Sprintf("%s cannot be read: %v", file, err), Do: "warp checkpoint list shows the others", Err: err}
	}
	return s, nil
}

// Tree returns the tree of a checkpoint, or with 0 that of the present work tree, for comparing
// them.
func (k Keeper) Tree(ctx context.Context, n int) (string, error) {
	if n == 0 {
		p, err := k.repository().look(ctx)
		return p.tree, err
	}
	t, err := k.find(ctx, n)
	return t.tree, err
}

// Head returns the commit that was checked out when a checkpoint was made.
func (k Keeper) Head(ctx context.Context, n int) (string, error) {
	t, err := k.find(ctx, n)
	return t.head, err
}

// folder returns the prefix of a workflow's checkpoint refs, as gitwrite.Tree names them.
func folder(s *workflowstate.State) string {
	id := s.ID
	if id == "" {
		id = strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime)
	}
	if !text.ValidName(id) || !git.IsRef(id) {
		id = text.Slug(id, 60)
	}
	return "checkpoint/" + id + "/"
}

func ref(s *workflowstate.State, n int) string { return fmt.Sprintf("%s%03d", folder(s), n) }
