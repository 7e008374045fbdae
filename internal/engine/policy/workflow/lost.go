package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// What is known of a running task is in .claude/state, which a person may delete at any time. Then
// the task continues from its checkpoint: whatever changed since is its work.

// isLost reports whether the task was started and its memory is gone. After a checkpoint was
// restored, it has not started.
func (j *job) isLost() bool {
	return j.base() == "" && j.mem.Facts[factAgain] == "" && j.run.now().PendingTasks.Progress(j.ID).Iteration > 0
}

// startingTree returns the work tree without the task's work. Where no person works, everything
// uncommitted is the task's.
func (j *job) startingTree(ctx context.Context, head string) (string, error) {
	switch {
	case j.own:
		return j.guard.SnapshotOf(ctx, head)
	case !j.isLost():
		return j.snapshot()
	}
	tree, err := j.run.keeper().Tree(ctx, j.point)
	if err != nil {
		return "", err
	}
	return j.guard.SnapshotOf(ctx, tree)
}

// uncommit takes the task's commits off its branch and keeps their files, if its memory is lost: an
// existing commit would be taken for all of the task's work.
func (j *job) uncommit(ctx context.Context) error {
	if !j.isLost() {
		return nil
	}
	s, repo := j.run.now(), j.tree.Repo()
	to, err := j.run.keeper().Head(ctx, j.point)
	if err != nil {
		return err
	}
	head, err := repo.Head()
	if err != nil || head == to {
		return err
	}
	list, err := repo.Commits(head, to)
	if err != nil {
		return err
	}
	own := []string{trailerOf(trailerTask, s.ID, j.ID, ""), trailerOf(trailerFix, s.ID, j.ID, "")}
	if slices.ContainsFunc(list, func(c git.Commit) bool {
		return !strings.Contains(c.Message, "\n"+own[0]) && !strings.Contains(c.Message, "\n"+own[1])
	}) {
		return nil // a person's or other tasks' commits must stay
	}
	j.run.remark("the record of task %s is gone: continuing with the changes since its checkpoint", j.ID)
	if err := j.taker(ctx).FindPersonChanges(ctx, j.scope(nil)); err != nil {
		return err
	}
	kept := fmt.Sprintf("workflow/%s/%s-reset", s.ID, j.ID)
	if err := j.run.Work.Keep(ctx, kept, head); err != nil {
		return err
	}
	if err := j.guard.MoveRef(j.refs[0], func() (string, error) {
		return to, j.tree.Move(ctx, strings.TrimPrefix(j.refs[0], "refs/heads/"), to, head)
	}); err != nil {
		return err
	}
	if _, err := repo.Must(ctx, git.Call{Args: []string{"reset", "-q"}}); err != nil {
		return err
	}
	return j.guard.Settle(ctx)
}
