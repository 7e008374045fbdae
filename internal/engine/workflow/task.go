package workflow

import (
	"context"
	"fmt"
	"slices"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/sys/work"
)

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
	points := make([]int, len(list))
	for i, t := range list {
		n, err := r.checkpoint(ctx, t.Phase, t.ID)
		if err != nil {
			return err
		}
		points[i] = n
	}
	r.purse.share(len(list))
	if len(list) == 1 && !r.apartBefore(list[0].ID) {
		return r.alone(ctx, list[0], points[0])
	}
	return r.sideBySide(ctx, list, points)
}

// alone runs a task in the main work tree.
func (r *run) alone(ctx context.Context, t taskdoc.Task, point int) error {
	j, err := r.take(ctx, t, point)
	if err != nil {
		return err
	}
	j.tree, j.dir = r.Work, r.Root
	met, err := j.loop(ctx)
	if err != nil {
		return err
	}
	commit, files, err := j.commit(ctx)
	if err != nil {
		return err
	}
	return j.done(met, commit, files)
}

// take begins a task: what it knew before a crash, and its claim of files.
func (r *run) take(ctx context.Context, t taskdoc.Task, point int) (*job, error) {
	m, fresh, err := r.remember(t.ID, point)
	if err != nil {
		return nil, err
	}
	j := &job{run: r, Task: t, mem: m}
	if fresh && r.apartBefore(t.ID) { // of before somebody went back to a checkpoint
		if err := r.dismiss(ctx, j.ID); err != nil {
			return nil, err
		}
	}
	if err := j.claim(t.Files); err != nil {
		return nil, err
	}
	began := false
	if err := r.update("task_began", func(s *workflow.State) error { began = s.TaskBegun(t.ID, r.Now()); return nil }); err != nil {
		return nil, err
	}
	if began {
		r.tell(Note{Kind: TaskBegan, Phase: t.Phase, Task: t.ID, Text: t.Name})
	}
	return j, nil
}

// loop iterates until the task's criteria are met and nobody objects. The error
// is a *PausedError where it waits for a person.
func (j *job) loop(ctx context.Context) (workflow.Criteria, error) {
	if err := j.begin(); err != nil {
		return nil, err
	}
	defer j.keepClaim(ctx)()
	if err := j.supervise(ctx, workflow.PreTask, j.mem.From); err != nil {
		return nil, err
	}
	for n := j.mem.From + 1; ; n++ { // those that were made before a crash are known
		if most := j.most(); n > most {
			return nil, j.pause(workflow.PausedIterations, fmt.Sprintf("task %s has used its %d iterations: %s; warp workflow extend --iterations allows more, and goes on", j.ID, most, text.Opening(j.why)), j.ID)
		}
		met, ok, err := j.iterate(ctx, n)
		if err != nil || ok {
			return met, err
		}
	}
}

// most is how many iterations the task may have: its own number, and what the
// workflow was extended by.
func (j *job) most() int {
	limit := j.now().SafetyBounds.Limits().Iterations
	if j.Iterations == 0 {
		return limit
	}
	return min(limit, j.Iterations+max(0, limit-j.plan().Bounds.Iterations))
}

// iterations is how many of the task's are done.
func (j *job) iterations() int {
	if p := j.now().Pending(j.ID); p != nil {
		return p.Iterations
	}
	return 0
}

// begin looks at what is there before the task.
func (j *job) begin() (err error) {
	if j.mem.Base != "" {
		return nil
	}
	return j.rebase()
}

// rebase has what the task does begin with what is there now.
func (j *job) rebase() (err error) {
	if j.mem.Base, err = snapshot(j.tree); err != nil {
		return err
	}
	if j.mem.Head, err = j.tree.Repo().Head(); err != nil {
		return err
	}
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

// all tells whether all of some criteria are met.
func all(met workflow.Criteria) bool {
	return !slices.ContainsFunc(met, func(c workflow.Criterion) bool { return !c.Met })
}
