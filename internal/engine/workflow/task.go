package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/durable"
	"warp/internal/sys/work"
)

// claimLease is how long a claim of files holds without being renewed.
const claimLease = 10 * time.Minute

// job is a task that is under way.
type job struct {
	*run
	taskdoc.Task
	mem  *memory
	tree work.Tree // where its agent works
	dir  string
	why  string // what was wrong with the last iteration
}

// batch runs tasks that have nothing to do with each other: one in the main work
// tree, several side by side, each in a work tree of its own, which are brought
// together in the order of the tasks.
func (r *run) batch(ctx context.Context, list []taskdoc.Task) error {
	for _, t := range list {
		if err := r.checkpoint(ctx, t.Phase, t.ID); err != nil {
			return err
		}
	}
	if len(list) == 1 && !r.apartBefore(list[0].ID) {
		return r.alone(ctx, list[0])
	}
	return r.sideBySide(ctx, list)
}

// alone runs a task in the main work tree.
func (r *run) alone(ctx context.Context, t taskdoc.Task) error {
	j, err := r.take(t)
	if err != nil {
		return err
	}
	j.tree, j.dir = r.Work, r.Root
	met, err := j.loop(ctx)
	if err != nil || met == nil {
		return err
	}
	commit, files, err := j.commit(ctx)
	if err != nil {
		return err
	}
	return j.done(met, commit, files)
}

// take begins a task: what it knew before a crash, and its claim of files.
func (r *run) take(t taskdoc.Task) (*job, error) {
	m, err := r.remember(t.ID)
	if err != nil {
		return nil, err
	}
	j := &job{run: r, Task: t, mem: m}
	if _, err := r.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc == nil {
			tx.Doc = &claim.Locks{}
		}
		tx.Log("claimed "+t.ID, nil)
		return tx.Doc.Claim(t.ID, r.holder(), t.Files, r.Now(), claimLease)
	}); err != nil {
		var c *claim.Conflict
		if errors.As(err, &c) {
			return nil, r.pause(workflow.PausedPerson, fmt.Sprintf("task %s wants files that task %s has claimed: %s", t.ID, c.With.Task, c.Path), t.ID)
		}
		return nil, err
	}
	if p := r.now().Pending(t.ID); p == nil || p.Began == "" {
		if err := r.update("task_began", func(s *workflow.State) error { s.TaskBegun(t.ID, r.Now()); return nil }); err != nil {
			return nil, err
		}
		r.tell(Note{Kind: TaskBegan, Phase: t.Phase, Task: t.ID, Text: t.Name})
	}
	return j, nil
}

func (r *run) holder() string { return fmt.Sprintf("%s/%d", r.Host, r.PID) }

// renew keeps the claim of a task.
func (j *job) renew() error {
	_, err := j.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc != nil {
			tx.Doc.Renew(j.ID, j.holder(), j.Now(), claimLease)
		}
		return nil
	})
	return err
}

func (j *job) release() error {
	_, err := j.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc != nil {
			tx.Doc.Release(j.ID, j.holder())
		}
		return nil
	})
	return err
}

// loop iterates until the task's criteria are met and nobody objects. Nil says
// that it was given up: the workflow has failed, or waits.
func (j *job) loop(ctx context.Context) (workflow.Criteria, error) {
	if err := j.begin(); err != nil {
		return nil, err
	}
	if err := j.supervise(ctx, workflow.PreTask, 0); err != nil {
		return nil, err
	}
	most := j.Iterations
	if most == 0 {
		most = j.now().SafetyBounds.Limits().Iterations
	}
	for n := 1; ; n++ {
		if p := j.now().Pending(j.ID); p != nil && p.Iterations >= n {
			if p.Iterations >= most {
				return nil, j.pause(workflow.PausedIterations, fmt.Sprintf("task %s has used its %d iterations; warp workflow extend --iterations allows more, and goes on", j.ID, most), j.ID)
			}
		}
		met, ok, err := j.iterate(ctx, n)
		if err != nil || ok {
			return met, err
		}
		if n >= most {
			return nil, j.pause(workflow.PausedIterations, fmt.Sprintf("task %s has used its %d iterations: %s; warp workflow extend --iterations allows more, and goes on", j.ID, most, opening(j.why)), j.ID)
		}
	}
}

// begin looks at what is there before the task.
func (j *job) begin() error {
	if j.mem.Base != "" {
		return nil
	}
	tree, err := snapshot(j.tree)
	if err != nil {
		return err
	}
	head, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	j.mem.Base, j.mem.Head = tree, head
	return j.mem.save()
}

// done records that a task is done, and forgets what was only needed on the way.
func (j *job) done(met workflow.Criteria, commit string, files []string) error {
	if err := j.update("task_done", func(s *workflow.State) error {
		s.TaskDone(workflow.Finish{Task: j.ID, Files: files, Criteria: met, Commit: commit}, j.Now())
		return nil
	}); err != nil {
		return err
	}
	j.tell(Note{Kind: TaskEnded, Phase: j.Phase, Task: j.ID, Text: j.Name})
	j.mem.forget()
	return j.release()
}

// met tells whether all of some criteria are.
func all(met workflow.Criteria) bool {
	return !slices.ContainsFunc(met, func(c workflow.Criterion) bool { return !c.Met })
}
