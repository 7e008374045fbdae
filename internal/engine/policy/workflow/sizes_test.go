package workflow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/step"
	"warp/internal/turnstile/documents"
)

// What a task leaves in the journal does not grow with the number of tasks: 500 of them
// leave a few megabytes (it was all that are pending, five times a task: 60).
func TestATaskLeavesLittleHoweverManyThereAre(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	store := durable.New(durable.Config{Dir: filepath.Join(t.TempDir(), ".claude"), Now: func() time.Time { return now }, PID: os.Getpid()})
	plan := workflowstate.Plan{ID: "x", TaskDoc: "/task.md", Phases: 1}
	for i := range 500 {
		plan.Tasks = append(plan.Tasks, workflowstate.Planned{Task: fmt.Sprint("1.", i+1), Name: "Do the thing"})
	}
	doc := &step.Document[workflowstate.State]{Doc: documents.OpenWorkflow(store), Remark: t.Logf}
	doc.Set(workflowstate.Begin(plan, now))
	update := func(fn func(*workflowstate.State)) {
		now = now.Add(time.Second)
		if err := doc.Update("x", func(s *workflowstate.State) error {
			s.SafetyBounds.RaiseElapsed(now.Sub(time.Time{}))
			fn(s)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(store.Dir(), "state", "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	update(func(s *workflowstate.State) {})
	const most, tasks = 12_000, 8
	before := size()
	for i := range tasks {
		id := fmt.Sprint("1.", i+1)
		update(func(s *workflowstate.State) { s.TaskBegun(id, now) })
		update(func(s *workflowstate.State) { s.IterationBegun(id, 1) })
		update(func(s *workflowstate.State) {
			s.ActiveAgents.Start(workflowstate.Agent{Type: workflowstate.TaskExecutor, Task: id}, now)
		})
		update(func(s *workflowstate.State) {
			s.ActiveAgents.End(workflowstate.TaskExecutor, id)
			s.Spent(id, id, 10_000)
		})
		update(func(s *workflowstate.State) { s.IterationDone(id, 1, 0, 0) })
		update(func(s *workflowstate.State) {
			s.TaskDone(workflowstate.Finish{Task: id, Files: []string{"a.txt"}, Commit: "c"}, now)
		})
	}
	if each := (size() - before) / tasks; each > most {
		t.Errorf("a task leaves %d bytes in the journal, at most %d are wanted", each, most)
	}
}
