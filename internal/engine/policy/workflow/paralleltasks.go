package workflow

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/sys/gitwrite"
)

// placeOf and branchOf name the work tree and branch of a task that runs in parallel.
func placeOf(id, task string) string { return "workflow-" + id + "-" + task }

func branchOf(id, task string) string { return "warp/workflow/" + id + "/" + task }

// sides runs tasks in parallel, each in a separate work tree.
type sides struct{ run *run }

// runAll runs tasks in parallel, then merges them in the order of the tasks. If one has to wait,
// the others' work is not lost: it is merged when the workflow is resumed.
func (w sides) runAll(ctx context.Context, list []taskdoc.Task, points []int) error {
	jobs := make([]*job, len(list))
	for i, t := range list {
		j, err := w.run.beginTask(t, points[i])
		if err == nil {
			err = w.openWorkTree(ctx, j)
		}
		if err != nil {
			return err
		}
		jobs[i] = j
	}
	met, errs := make([]workflowstate.Criteria, len(list)), make([]error, len(list))
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() {
			if met[i], errs[i] = (loop{j}).iterate(ctx); errs[i] == nil {
				errs[i] = handOver(ctx, j)
			}
		})
	}
	wait.Wait()
	if err := mostSevere(errs); err != nil {
		return err
	}
	for i, j := range jobs {
		if err := w.integrate(ctx, j, met[i], jobs[:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// mostSevere returns an error that is no pause, or else a pause.
func mostSevere(errs []error) (pause error) {
	for _, err := range errs {
		var p *PausedError
		switch {
		case err == nil:
		case errors.As(err, &p):
			pause = err
		default:
			return err
		}
	}
	return pause
}

// openWorkTree creates a task's work tree at the workflow's present commit.
func (w sides) openWorkTree(ctx context.Context, j *job) error {
	head, err := w.run.home.tree.Repo().Head()
	if err != nil {
		return err
	}
	id := w.run.now().ID
	if j.mem.Facts[factBegan] == "" && !j.isLost() && w.run.places.Exists(placeOf(id, j.ID)) { // left from before a checkpoint was restored
		w.removeWorkTree(ctx, j.ID)
	}
	tree, err := w.run.places.Make(ctx, placeOf(id, j.ID), branchOf(id, j.ID), head)
	if err != nil {
		return err
	}
	if j.site, err = w.run.newSite(tree, tree.Dir, j.ID); err != nil {
		return err
	}
	j.refs = append([]string{"refs/heads/" + branchOf(id, j.ID)}, w.run.home.refs...)
	if err := j.recover(ctx); err != nil {
		return err
	}
	if err := j.uncommit(ctx); err != nil {
		return err
	}
	_, err = j.mem.Fact(factBegan, j.tree.Repo().Head)
	return err
}

// handOver commits the task's work and records its tip, which includes separate fixes.
func handOver(ctx context.Context, j *job) error {
	if _, _, err := j.commitTask(ctx); err != nil {
		return err
	}
	tip, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	if tip == j.mem.Facts[factBegan] {
		tip = "" // it changed nothing
	}
	return j.setFact(factTip, tip)
}

// integrate merges a task's work into the workflow's branch. Work that conflicts with earlier
// tasks, or breaks them, is kept under a ref and done again.
func (w sides) integrate(ctx context.Context, j *job, met workflowstate.Criteria, brought []*job) error {
	hash, files := "", []string(nil)
	if j.mem.Facts[factTip] != "" {
		here := *j
		here.site = w.run.home
		why, err := w.mergeTask(ctx, &here)
		if err == nil && why == "" {
			why, err = w.testTogether(ctx, &here, brought)
		}
		if err != nil {
			return err
		}
		if why != "" {
			return w.restartTask(ctx, j, why)
		}
		if hash, err = here.land.Find(here.workTrailer(), w.run.now().Base); err != nil {
			return err
		}
		if hash != "" { // else all of its work was committed as fixes
			if files, err = filesOf(ctx, w.run.Work.Repo(), hash); err != nil {
				return err
			}
		}
	}
	if err := j.recordDone(met, hash, files); err != nil {
		return err
	}
	w.removeWorkTree(ctx, j.ID)
	return nil
}

// mergeTask rebases the task's commits onto the workflow's branch, once. why says what prevents it.
func (w sides) mergeTask(ctx context.Context, j *job) (why string, err error) {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	if next := j.mem.Facts[factNext]; next != "" {
		if in, err := j.tree.Repo().Descends(head, next); err != nil || in {
			return "", err // merged before its engine was killed
		}
	}
	next, conflict, err := j.tree.Apart().Rebase(ctx, j.mem.Facts[factTip], head)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return fmt.Sprintf("it conflicts with the parallel tasks in %v", conflict.Files), j.tree.Apart().Abandon(ctx, conflict.Dir)
	}
	j.mem.Facts[factOnto] = head
	if err := j.setFact(factNext, next); err != nil {
		return "", err
	}
	if err := j.land.Follow(ctx, w.run.now().Branch, next); err != nil {
		return "", w.run.pause(workflowstate.PausedPerson, j.ID, "merging task %s into the work tree: %v", j.ID, err)
	}
	w.run.pass("task_merged")
	w.run.tell(Note{Kind: Integrating, Task: j.ID, Text: "merged"})
	return "", nil
}

// testTogether runs the commands of all merged tasks; a task that breaks them is taken off the
// branch again.
func (w sides) testTogether(ctx context.Context, j *job, brought []*job) (why string, err error) {
	var lines []string
	for _, b := range brought {
		lines = append(lines, taskdoc.CommandsOf(b.Criteria)...)
	}
	tree, err := j.snapshot()
	if err != nil {
		return "", err
	}
	failed, err := j.findFailing(ctx, tree, lines, true)
	if err != nil || len(failed) == 0 {
		return "", err
	}
	for _, said := range failed {
		why = text.Opening(said)
	}
	if err := j.land.Follow(ctx, w.run.now().Branch, j.mem.Facts[factOnto]); err != nil {
		return "", w.run.pause(workflowstate.PausedPerson, j.ID, "task %s breaks the parallel tasks (%s), and cannot be reverted: %v", j.ID, why, err)
	}
	return "together with the parallel tasks this fails: " + why, nil
}

// restartTask keeps a task's work under a ref, and starts the task over.
func (w sides) restartTask(ctx context.Context, j *job, why string) error {
	s := w.run.now()
	kept := fmt.Sprintf("workflow/%s/%s-%d", s.ID, j.ID, s.PendingTasks.Progress(j.ID).Iterations)
	if err := w.run.Work.Keep(ctx, kept, j.mem.Facts[factTip]); err != nil {
		return err
	}
	w.run.remark("task %s: %s; its work is kept as refs/warp/%s, and the task starts over", j.ID, why, kept)
	if err := w.run.record("task_again", func(s *workflowstate.State) { s.TaskFailed(j.ID, why, w.run.Now()) }); err != nil {
		return err
	}
	j.mem.Forget()
	w.removeWorkTree(ctx, j.ID)
	m, err := w.run.memory(j.ID, j.point)
	if err != nil {
		return err
	}
	if _, err := m.Fact(factAgain, func() (string, error) { return why, nil }); err != nil {
		return err
	}
	return j.hold.release()
}

// removeWorkTree removes a task's work tree and branch, and the guard's copies of it.
func (w sides) removeWorkTree(ctx context.Context, task string) {
	r, id := w.run, w.run.now().ID
	if r.State != "" {
		if tree, err := gitwrite.Open(place.Path(r.Root, placeOf(id, task))); err == nil {
			if s, err := r.newSite(tree, tree.Dir, task); err == nil {
				_ = durable.RemoveFolder(s.guard.Dir) // copies of something removed on purpose
			}
		}
	}
	if err := r.places.Remove(ctx, placeOf(id, task), branchOf(id, task), true); err != nil {
		r.remark("the work tree of task %s is kept: %v", task, err)
	}
}
