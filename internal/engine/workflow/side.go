package workflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/sys/git"
)

// place is the work tree of a task that runs beside others.
func (r *run) place(task string) string {
	return filepath.Join(r.Root, ".claude", "worktrees", "workflow-"+task)
}

func (r *run) taskBranch(task string) string { return "warp/workflow/" + r.now().ID + "/" + task }

// apartBefore tells whether a task was begun in a work tree of its own.
func (r *run) apartBefore(task string) bool {
	_, err := os.Lstat(filepath.Join(r.place(task), ".git"))
	return err == nil
}

// sideBySide runs tasks at once, each in a work tree of its own, then brings them
// together in the order of the tasks.
func (r *run) sideBySide(ctx context.Context, list []taskdoc.Task) error {
	type result struct {
		j     *job
		met   workflow.Criteria
		files []string
	}
	results := make([]result, len(list))
	errs := make([]error, len(list))
	var wait sync.WaitGroup
	for i, t := range list {
		j, err := r.take(t)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if err := r.apart(ctx, j); err != nil {
			return err
		}
		wait.Go(func() {
			met, err := j.loop(ctx)
			if err == nil && met != nil {
				j.mem.Tip, _, err = j.commit(ctx)
				err = errors.Join(err, j.mem.save())
			}
			results[i], errs[i] = result{j: j, met: met}, err
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		var p *PausedError
		if errors.As(err, &p) { // what the others have done is not lost: it is brought together when it goes on
			return p
		}
		return err
	}
	for _, x := range results {
		if x.met == nil {
			return nil
		}
		if err := r.bring(ctx, x.j, x.met); err != nil {
			return err
		}
	}
	return nil
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
	return nil
}

// bring brings what a task has done to the workflow's branch. One that conflicts
// with those before it is kept, and done again alone.
func (r *run) bring(ctx context.Context, j *job, met workflow.Criteria) error {
	s := r.now()
	tip := j.mem.Tip
	if tip == "" { // it changed nothing
		if err := j.done(met, "", nil); err != nil {
			return err
		}
		return r.dismiss(ctx, j)
	}
	head, err := r.Work.Repo().Head()
	if err != nil {
		return err
	}
	here := *j
	here.tree, here.dir = r.Work, r.Root
	hash, err := here.made(fmt.Sprintf("%s: %s", trailerTask, j.trailer("work")))
	if err != nil {
		return err
	}
	if hash == "" {
		next, conflict, err := r.Work.Rebase(ctx, tip, head)
		if err != nil {
			return err
		}
		if conflict != nil {
			if err := errors.Join(r.Work.Abandon(ctx, conflict.Dir), r.Work.Keep(ctx, "workflow/"+s.ID+"/"+j.ID, tip)); err != nil {
				return err
			}
			r.remark("what task %s did conflicts with the tasks beside it; it is kept as refs/warp/workflow/%s/%s, and done again", j.ID, s.ID, j.ID)
			j.mem.forget()
			if err := errors.Join(r.dismiss(ctx, j), j.release()); err != nil {
				return err
			}
			return r.update("task_again", func(s *workflow.State) error {
				s.TaskFailed(j.ID, "it conflicts with the tasks beside it", r.Now())
				return nil
			})
		}
		if err := r.Work.Follow(ctx, s.Branch, next); err != nil {
			return r.pause(workflow.PausedPerson, fmt.Sprintf("what task %s did cannot be brought into the work tree: %v", j.ID, err), j.ID)
		}
		r.passed("task_merged")
		r.tell(Note{Kind: Integrating, Task: j.ID, Text: "merged"})
	}
	hash, files, err := here.commitAs(ctx, here.mem.Base, fmt.Sprintf("feat: %s (task %s)\n\n%s: %s\n", j.Name, j.ID, trailerTask, j.trailer("work")))
	if err != nil {
		return err
	}
	if err := here.done(met, hash, files); err != nil {
		return err
	}
	return r.dismiss(ctx, j)
}

// dismiss takes the work tree and the branch of a task away.
func (r *run) dismiss(ctx context.Context, j *job) error {
	if err := r.Work.RemoveWorktree(ctx, r.place(j.ID), true); err != nil {
		r.remark("the work tree of task %s is kept: %v", j.ID, err)
		return nil
	}
	_, err := r.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", r.taskBranch(j.ID)}})
	return err
}
