package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/place"
	"warp/internal/sys/work"
)

// placeName names the work tree of a task that runs beside others.
func (r *run) placeName(task string) string { return "workflow-" + r.now().ID + "-" + task }

func (r *run) taskBranch(task string) string { return "warp/workflow/" + r.now().ID + "/" + task }

// sides runs tasks at once, each in a work tree of its own.
type sides struct{ *run }

// all runs tasks at once, then brings them together in the order of the tasks.
// What the others have done when one has to wait is not lost: it is brought
// together when it goes on.
func (r *sides) all(ctx context.Context, list []taskdoc.Task, points []int) error {
	jobs := make([]*job, len(list))
	for i, t := range list {
		j, fresh, err := r.takeUp(t, points[i])
		if err == nil && fresh && r.places.Exists(r.placeName(t.ID)) { // of before a checkpoint was restored
			err = r.dismiss(ctx, t.ID)
		}
		if err == nil {
			err = r.apart(ctx, j)
		}
		if err != nil {
			return err
		}
		jobs[i] = j
	}
	met, errs := make([]workflow.Criteria, len(list)), make([]error, len(list))
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() {
			if met[i], errs[i] = j.loop(ctx); errs[i] == nil {
				errs[i] = r.hand(ctx, j)
			}
		})
	}
	wait.Wait()
	if err := gravest(errs); err != nil {
		return err
	}
	for i, j := range jobs {
		if err := r.bring(ctx, j, met[i], jobs[:i+1]); err != nil {
			return err
		}
	}
	return nil
}

// gravest is an error that is more than waiting, else one of waiting.
func gravest(errs []error) (pause error) {
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

// apart gives a task a work tree, at the commit that the workflow's branch is at.
func (r *sides) apart(ctx context.Context, j *job) error {
	head, err := r.Work.Repo().Head()
	if err != nil {
		return err
	}
	branch := r.taskBranch(j.ID)
	tree, err := r.places.Make(ctx, r.placeName(j.ID), branch, head)
	if err != nil {
		return err
	}
	if j.site, err = r.newSite(tree, tree.Dir, j.ID); err != nil {
		return err
	}
	j.refs = append([]string{"refs/heads/" + branch}, r.home.refs...)
	if err := j.recover(ctx); err != nil {
		return err
	}
	_, err = j.mem.Fact(factBegan, j.tree.Repo().Head)
	return err
}

// hand commits what a task has done apart: with what was fixed there its tip.
func (r *sides) hand(ctx context.Context, j *job) error {
	if _, _, err := j.commit(ctx); err != nil {
		return err
	}
	tip, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	if tip == j.mem.Facts[factBegan] {
		tip = "" // it changed nothing
	}
	return j.know(factTip, tip)
}

// bring brings what a task has done to the workflow's branch. One that conflicts
// with those before it, or breaks what they have reached, is kept, and done again.
func (r *sides) bring(ctx context.Context, j *job, met workflow.Criteria, brought []*job) error {
	if j.mem.Facts[factTip] == "" {
		if err := j.done(met, "", nil); err != nil {
			return err
		}
		return r.dismiss(ctx, j.ID)
	}
	here := *j
	here.site = r.home
	why, err := r.merge(ctx, &here)
	if err == nil && why == "" {
		why, err = r.together(ctx, &here, brought)
	}
	if err != nil {
		return err
	}
	if why != "" {
		return r.again(ctx, j, why)
	}
	hash, err := r.home.land.Find(j.trailer(trailerTask, j.ID, "work"), r.now().Base)
	if err != nil {
		return err
	}
	var files []string
	if hash != "" { // else all that it did was fixed apart
		if files, err = filesOf(ctx, r.Work.Repo(), hash); err != nil {
			return err
		}
	}
	if err := here.done(met, hash, files); err != nil {
		return err
	}
	return r.dismiss(ctx, j.ID)
}

// merge puts the task's commits on top of the workflow's branch, once. Why says
// what is in the way.
func (r *sides) merge(ctx context.Context, j *job) (why string, err error) {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	if next := j.mem.Facts[factNext]; next != "" {
		if in, err := j.tree.Repo().Descends(head, next); err != nil || in {
			return "", err // it was merged before its engine was killed
		}
	}
	next, conflict, err := j.Work.Rebase(ctx, j.mem.Facts[factTip], head)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return fmt.Sprintf("it conflicts with the tasks beside it in %v", conflict.Files), j.Work.Abandon(ctx, conflict.Dir)
	}
	j.mem.Facts[factOnto] = head
	if err := j.know(factNext, next); err != nil {
		return "", err
	}
	if err := j.land.Follow(ctx, j.now().Branch, next); err != nil {
		return "", j.pause(workflow.PausedPerson, fmt.Sprintf("what task %s did cannot be brought into the work tree: %v", j.ID, err), j.ID)
	}
	j.passed("task_merged")
	j.tell(Note{Kind: Integrating, Task: j.ID, Text: "merged"})
	return "", nil
}

// together runs the commands of all tasks that were brought together; what breaks
// them is taken off the branch again.
func (r *sides) together(ctx context.Context, j *job, brought []*job) (why string, err error) {
	err = j.running(ctx, "", func() error {
		for _, b := range brought {
			for _, line := range runs(b.Criteria) {
				if said, ok, err := j.try(ctx, line); err != nil || !ok {
					why = said
					return err
				}
			}
		}
		return nil
	})
	if err != nil || why == "" {
		return "", err
	}
	if err := j.land.Follow(ctx, j.now().Branch, j.mem.Facts[factOnto]); err != nil {
		return "", j.pause(workflow.PausedPerson, fmt.Sprintf("what task %s did breaks the tasks beside it (%s), and cannot be taken back: %v", j.ID, text.Opening(why), err), j.ID)
	}
	return "together with the tasks beside it this fails: " + text.Opening(why), nil
}

// again keeps what a task has done, and has it done once more.
func (r *sides) again(ctx context.Context, j *job, why string) error {
	kept := fmt.Sprintf("workflow/%s/%s-%s", r.now().ID, j.ID, j.iterations())
	if err := r.Work.Keep(ctx, kept, j.mem.Facts[factTip]); err != nil {
		return err
	}
	r.remark("task %s: %s; it is kept as refs/warp/%s, and done again", j.ID, why, kept)
	if err := r.update("task_again", func(s *workflow.State) error { s.TaskFailed(j.ID, why, r.Now()); return nil }); err != nil {
		return err
	}
	j.mem.Forget()
	return errors.Join(r.dismiss(ctx, j.ID), j.hold().release())
}

// dismiss takes the work tree and the branch of a task away, and what the guard
// has kept of it.
func (r *sides) dismiss(ctx context.Context, task string) error {
	if r.State != "" {
		if tree, err := work.Open(place.Path(r.Root, r.placeName(task))); err == nil {
			if s, err := r.newSite(tree, tree.Dir, task); err == nil {
				_ = os.RemoveAll(s.guard.Dir) // copies of what is gone on purpose
			}
		}
	}
	if err := r.places.Remove(ctx, r.placeName(task), r.taskBranch(task), true); err != nil {
		r.remark("the work tree of task %s is kept: %v", task, err)
	}
	return nil
}
