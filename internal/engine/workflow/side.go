package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/sys/git"
)

// place is the work tree of a task that runs beside others.
func (r *run) place(task string) string {
	return filepath.Join(r.Root, ".claude", "worktrees", "workflow-"+r.now().ID+"-"+task)
}

func (r *run) taskBranch(task string) string { return "warp/workflow/" + r.now().ID + "/" + task }

// apartBefore tells whether a task was begun in a work tree of its own.
func (r *run) apartBefore(task string) bool {
	_, err := os.Lstat(filepath.Join(r.place(task), ".git"))
	return err == nil
}

// sideBySide runs tasks at once, each in a work tree of its own, then brings them
// together in the order of the tasks. What the others have done when one has to
// wait is not lost: it is brought together when it goes on.
func (r *run) sideBySide(ctx context.Context, list []taskdoc.Task, points []int) error {
	jobs := make([]*job, len(list))
	for i, t := range list {
		j, err := r.take(ctx, t, points[i])
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
				errs[i] = j.hand(ctx)
			}
		})
	}
	wait.Wait()
	if err := gravest(errs); err != nil {
		return err
	}
	var brought []*job
	for i, j := range jobs {
		brought = append(brought, j)
		if err := r.bring(ctx, j, met[i], brought); err != nil {
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
func (r *run) apart(ctx context.Context, j *job) error {
	j.dir = r.place(j.ID)
	head, err := r.Work.Repo().Head()
	if err != nil {
		return err
	}
	if err := r.Work.Prune(ctx); err != nil {
		return err
	}
	if j.tree, err = r.Work.AddWorktree(ctx, j.dir, r.taskBranch(j.ID), head); err != nil {
		return fmt.Errorf("making a work tree for task %s: %w", j.ID, err)
	}
	_, err = j.mem.fact(began, j.tree.Repo().Head)
	return err
}

// began is the fact of which commit a work tree of a task began at.
const began = "began"

// hand commits what a task has done apart: with what was mended there its tip.
func (j *job) hand(ctx context.Context) (err error) {
	if _, _, err = j.commit(ctx); err != nil {
		return err
	}
	if j.mem.Tip, err = j.tree.Repo().Head(); err != nil {
		return err
	}
	if j.mem.Tip == j.mem.Facts[began] {
		j.mem.Tip = "" // it changed nothing
	}
	return j.mem.save()
}

// bring brings what a task has done to the workflow's branch. One that conflicts
// with those before it, or breaks what they have reached, is kept, and done again.
func (r *run) bring(ctx context.Context, j *job, met workflow.Criteria, brought []*job) error {
	if j.mem.Tip == "" {
		if err := j.done(met, "", nil); err != nil {
			return err
		}
		return r.dismiss(ctx, j.ID)
	}
	here := *j
	here.tree, here.dir = r.Work, r.Root
	if why, err := here.merge(ctx); err != nil || why != "" {
		if err != nil {
			return err
		}
		return r.again(ctx, j, why)
	}
	for _, b := range brought {
		for _, line := range runs(b.Criteria) {
			said, ok, err := r.command(ctx, r.Root, line)
			if err != nil {
				return err
			}
			if !ok {
				if err := r.Work.Follow(ctx, r.now().Branch, here.mem.Onto); err != nil {
					return r.pause(workflow.PausedPerson, fmt.Sprintf("what task %s did breaks the tasks beside it (%s), and cannot be taken back: %v", j.ID, text.Opening(said), err), j.ID)
				}
				return r.again(ctx, j, "together with the tasks beside it this fails: "+text.Opening(said))
			}
		}
	}
	hash, err := here.made(lastLine(j.message()))
	if err == nil && hash == "" { // its agent committed by itself
		hash, err = r.Work.Repo().Head()
	}
	if err != nil {
		return err
	}
	files, err := here.files(here.mem.Onto, hash)
	if err != nil {
		return err
	}
	if err := here.done(met, hash, files); err != nil {
		return err
	}
	return r.dismiss(ctx, j.ID)
}

// merge puts the task's commits on top of the workflow's branch, once. Why says
// what is in the way.
func (j *job) merge(ctx context.Context) (why string, err error) {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	if j.mem.Next != "" {
		if in, err := j.tree.Repo().Descends(head, j.mem.Next); err != nil || in {
			return "", err // it was merged before its engine was killed
		}
	}
	next, conflict, err := j.Work.Rebase(ctx, j.mem.Tip, head)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return fmt.Sprintf("it conflicts with the tasks beside it in %v", conflict.Files), j.Work.Abandon(ctx, conflict.Dir)
	}
	j.mem.Onto, j.mem.Next = head, next
	if err := j.mem.save(); err != nil {
		return "", err
	}
	if err := j.Work.Follow(ctx, j.now().Branch, next); err != nil {
		return "", j.pause(workflow.PausedPerson, fmt.Sprintf("what task %s did cannot be brought into the work tree: %v", j.ID, err), j.ID)
	}
	j.passed("task_merged")
	j.tell(Note{Kind: Integrating, Task: j.ID, Text: "merged"})
	return "", nil
}

// again keeps what a task has done, and has it done once more.
func (r *run) again(ctx context.Context, j *job, why string) error {
	s := r.now()
	kept := fmt.Sprintf("workflow/%s/%s-%d", s.ID, j.ID, j.iterations())
	if err := r.Work.Keep(ctx, kept, j.mem.Tip); err != nil {
		return err
	}
	r.remark("task %s: %s; it is kept as refs/warp/%s, and done again", j.ID, why, kept)
	if err := r.update("task_again", func(s *workflow.State) error { s.TaskFailed(j.ID, why, r.Now()); return nil }); err != nil {
		return err
	}
	j.mem.forget()
	return errors.Join(r.dismiss(ctx, j.ID), j.release())
}

// dismiss takes the work tree and the branch of a task away.
func (r *run) dismiss(ctx context.Context, task string) error {
	if err := r.Work.RemoveWorktree(ctx, r.place(task), true); err != nil {
		r.remark("the work tree of task %s is kept: %v", task, err)
		return nil
	}
	_, err := r.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", r.taskBranch(task)}})
	return err
}
