package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/step"
)

// EndedError reports that there is no work for a checkpoint.
type EndedError struct{ Status workflowstate.Status }

func (e *EndedError) Error() string {
	return fmt.Sprintf("the workflow has ended (%s), so there is nothing to checkpoint", e.Status)
}

// Create makes a checkpoint on request, with a note, while no engine runs the workflow: an agent's
// half-written files would be in it. It may be in the middle of a task, so the engine's memory of
// running tasks is kept with it.
func (k Keeper) Create(ctx context.Context, note string) (n int, err error) {
	hold, err := step.Acquire(ctx, k.Store, lease, step.Process{PID: k.PID, Host: k.Host}, func(string, ...any) {})
	if l := (*durable.LockedError)(nil); errors.As(err, &l) {
		return 0, fmt.Errorf("no checkpoint was made: a workflow is running here (process %d), and its agents may be writing; run warp workflow pause, then try again: %w", l.PID, err)
	}
	if err != nil {
		return 0, err
	}
	defer hold.Release()
	if n, under, err := k.Interrupted(); err != nil || under {
		return 0, errors.Join(err, &InterruptedError{n})
	}
	v, err := k.records().read()
	if err != nil {
		return 0, err
	}
	if v.Doc.Orchestrator.Status.Ended() {
		return 0, &EndedError{v.Doc.Orchestrator.Status}
	}
	if err := k.refuseBusy(v.Doc.Checkpoints.Last() + 1); err != nil {
		if no := (*refusedError)(nil); errors.As(err, &no) {
			return 0, fmt.Errorf("no checkpoint was made: %s; %s", no.Why, no.Do)
		}
		return 0, err
	}
	update := func(what string, fn func(*workflowstate.State) error) error {
		_, err := k.records().document().Update(func(tx *durable.Tx[workflowstate.State]) error {
			tx.Log(what, nil)
			if tx.Doc == nil {
				return errors.New("agent-state.json has since been removed")
			}
			return fn(tx.Doc)
		})
		return err
	}
	return k.add(ctx, v, update, workflowstate.Checkpoint{Phase: v.Doc.Orchestrator.CurrentPhase, Task: underWay(v.Doc), Manual: true, Note: note})
}

// underWay returns the workflow's present task.
func underWay(s *workflowstate.State) string {
	for _, p := range s.PendingTasks {
		if p.Began != "" {
			return p.Task
		}
	}
	if len(s.PendingTasks) > 0 {
		return s.PendingTasks[0].Task
	}
	return workflowstate.OuterTask
}

// memoryFolder is where the engine keeps its memory of running tasks.
const memoryFolder = "state/workflow"

func isMemory(name string) bool {
	return strings.HasPrefix(name, "task-") && strings.HasSuffix(name, ".json") && filepath.Base(name) == name
}

func (r records) memoryNames() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(r.store.Dir(), filepath.FromSlash(memoryFolder))) // none if it fails
	for _, e := range entries {
		if isMemory(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// memories returns the files with the memory of running tasks, verbatim: they are signed. A task in
// a separate work tree, which no checkpoint includes, starts again.
func (r records) memories() *lossless.Value {
	list := lossless.NewObject()
	for _, name := range r.memoryNames() {
		text, err := durable.ReadPlain(filepath.Join(r.store.Dir(), filepath.FromSlash(memoryFolder), name))
		var in struct {
			Memory json.RawMessage `json:"memory"`
		}
		var m struct {
			Facts map[string]string `json:"facts"`
		}
		if err == nil && json.Unmarshal(text, &in) == nil && in.Memory == nil {
			in.Memory = text
		}
		if json.Unmarshal(in.Memory, &m) == nil && m.Facts["began"] == "" {
			list = list.With(name, lossless.NewString(string(text)))
		}
	}
	if len(list.Members) == 0 {
		return nil
	}
	return list
}

// remember restores the memory of running tasks from a checkpoint. The engine's own checkpoints
// precede a task and have none.
func (r records) remember(n int, s *workflowstate.State) error {
	manual := slices.ContainsFunc(s.Checkpoints, func(c workflowstate.Checkpoint) bool {
		return c.Manual && c.StateSnapshot == workflowstate.SnapshotFile(n)
	})
	for _, name := range r.memoryNames() {
		if err := r.store.RemoveFile(r.path(memoryFolder + "/" + name)); err != nil {
			return err
		}
	}
	if !manual || s.Memory == nil {
		return nil
	}
	for _, m := range s.Memory.Members {
		if !isMemory(m.Key) {
			continue
		}
		if err := r.write(memoryFolder+"/"+m.Key, []byte(m.Value.Text())); err != nil {
			return err
		}
	}
	return nil
}
