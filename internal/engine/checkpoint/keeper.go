// Package checkpoint makes checkpoints of a workflow and restores them: work tree,
// branch and state together.
//
// It guarantees:
//
//   - What a checkpoint has is not collected by git, whatever becomes of the
//     branch: a separate reference holds it, under refs/warp/checkpoint/.
//   - A checkpoint that was begun when something died is completed by the next
//     call, not made a second time; none is ever written over.
//   - Restoring loses nothing: work tree, index, branch and state as they were
//     are kept first, and what could not be kept is a reason to refuse.
//
// The project's .claude is no part of a checkpoint's tree: it is the state's,
// and stays as it is but for agent-state.json. When to make checkpoints is left
// to the workflow.
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

// lease keeps a workflow from running while a checkpoint is restored, and the
// other way round.
const lease = "workflow"

// Keeper makes checkpoints and restores them.
type Keeper struct {
	Store  *durable.Store
	Work   gitwrite.Tree
	Now    func() time.Time
	PID    int                // who holds the lease while Restore is at work
	Host   string             // likewise
	Passed func(point string) // for tests of crashes
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

// List lists the checkpoints of the workflow, the oldest first.
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

// Make makes a checkpoint of the work tree and the state as they are, and returns
// its number. Called again for the same phase and task, it returns the one that
// there is: after a crash nothing is made twice. Where a restore has left that one
// behind, another is made.
//
// git_sha is HEAD when the work tree is as HEAD has it, else a commit on top of
// HEAD that is on no branch. The reference is written first, then the row, then
// the files; update makes a change to agent-state.json durable.
func (k Keeper) Make(ctx context.Context, update func(what string, fn func(*workflowstate.State) error) error, phase int, task string) (n int, err error) {
	n, under, err := k.Interrupted()
	if err == nil && under {
		err = &InterruptedError{n}
	}
	if err != nil {
		return 0, err
	}
	v, err := k.records().read()
	if durable.IsMissing(err) { // an agent may have removed the file: who updates it knows what it said
		if err = update("checkpoint", func(*workflowstate.State) error { return nil }); err == nil {
			v, err = k.records().read()
		}
	}
	if err != nil {
		return 0, err
	}
	if n, err := k.made(v, phase, task); n > 0 || err != nil {
		return n, err
	}
	return k.add(ctx, v, update, workflowstate.Checkpoint{Phase: phase, Task: task})
}

// add makes a checkpoint that there is not yet.
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
			return fmt.Errorf("checkpoint %d was made by another process meanwhile", n)
		}
		was := *s
		if c.Manual {
			was.Memory = k.records().memories()
		}
		text = k.records().print(&was, v.Tree)
		return k.records().jot(n, text)
	})
	if err != nil {
		return 0, err
	}
	k.passed("checkpoint_row")
	if err := k.records().writeSnapshot(n, text, true); err != nil {
		return 0, err
	}
	k.passed("checkpoint_files")
	return n, k.records().shrink(pinned(v.Doc))
}

// pinned are the checkpoints whose snapshots are not removed: those that a person made.
func pinned(s *workflowstate.State) map[int]bool {
	list := map[int]bool{}
	for _, c := range s.Checkpoints {
		if n, ok := workflowstate.SnapshotNumber(c.StateSnapshot); ok && c.Manual {
			list[n] = true
		}
	}
	return list
}

// made finds the checkpoint of a phase and task; 0: there is none. A snapshot of it
// that is missing is written from the state as it is: the caller says that this is
// the moment.
func (k Keeper) made(v durable.View[workflowstate.State], phase int, task string) (n int, err error) {
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

// number finds the next number, and the commit for it. A reference that a crash
// has left without its row is taken for what it is when it holds the same, and
// left alone when it does not.
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

// kept are the objects that the references of a workflow's checkpoints hold.
func (k Keeper) kept(ctx context.Context, s *workflowstate.State) (map[string]string, error) {
	refs, err := k.Work.Kept(ctx, folder(s))
	kept := map[string]string{}
	for _, r := range refs {
		kept[r.Name] = r.Object
	}
	return kept, err
}

// Snapshot reads the state that a checkpoint has.
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

// Tree is the tree of a checkpoint, or with 0 that of the work tree as it is, for
// comparing them.
func (k Keeper) Tree(ctx context.Context, n int) (string, error) {
	if n == 0 {
		p, err := k.repository().look(ctx)
		return p.tree, err
	}
	t, err := k.find(ctx, n)
	return t.tree, err
}

// Head is the commit that was checked out when a checkpoint was made.
func (k Keeper) Head(ctx context.Context, n int) (string, error) {
	t, err := k.find(ctx, n)
	return t.head, err
}

// folder is where the references of a workflow's checkpoints stand, as work.Tree
// names them.
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
