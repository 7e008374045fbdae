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

// EndedError says that there is no work that a checkpoint could be made of.
type EndedError struct{ Status workflowstate.Status }

func (e *EndedError) Error() string {
	return fmt.Sprintf("the workflow has ended (%s), so a checkpoint would be of no use", e.Status)
}

// Create makes a checkpoint that a person wants, with their words, while no engine is at
// the workflow: what an agent is in the middle of writing would be half in it. It may be
// in the middle of a task, so what the engine knows of tasks under way is kept with it.
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
				return errors.New("agent-state.json was removed meanwhile")
			}
			return fn(tx.Doc)
		})
		return err
	}
	return k.add(ctx, v, update, workflowstate.Checkpoint{Phase: v.Doc.Orchestrator.CurrentPhase, Task: underWay(v.Doc), Manual: true, Note: note})
}

// underWay is the task that the workflow is at.
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

// memoryFolder is where the engine keeps what it knows of tasks under way.
const memoryFolder = "state/workflow"

func isMemory(name string) bool {
	return strings.HasPrefix(name, "task-") && strings.HasSuffix(name, ".json") && filepath.Base(name) == name
}

func (r records) memoryNames() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(r.store.Dir(), filepath.FromSlash(memoryFolder))) // none, then
	for _, e := range entries {
		if isMemory(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// memories are what is known of tasks under way, as it is in its files: it is signed. A
// task in a separate work tree, which is no part of a checkpoint, begins again.
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

// remember puts what was known of tasks under way at a checkpoint where the engine looks
// for it. One that the engine made is before a task, and nothing was.
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
