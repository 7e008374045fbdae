package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// Trailers tell the commits of a task, and of what was fixed apart from it.
const (
	trailerTask = "Warp-Task"
	trailerFix  = "Warp-Fix"
)

// trailer names a commit of the task.
func (r *run) trailer(kind, task, step string) string {
	return fmt.Sprintf("%s: %s/%s/%s", kind, r.now().ID, task, step)
}

// commit commits what a task changed, once, and lists its files. A task that
// changed nothing has no commit.
func (j *job) commit(ctx context.Context) (hash string, files []string, err error) {
	hash, err = j.commitAs(ctx, factBase, fmt.Sprintf("feat: %s (task %s)", j.Name, j.ID), j.trailer(trailerTask, j.ID, "work"))
	if err != nil || hash == "" {
		return "", nil, err
	}
	files, err = filesOf(ctx, j.tree.Repo(), hash)
	return hash, files, err
}

// filesOf are those that a commit changes.
func filesOf(ctx context.Context, repo git.Repo, hash string) ([]string, error) {
	a, err := repo.Run(ctx, git.Call{Args: []string{"diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--end-of-options", hash}})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	return git.Split(a.Stdout), err
}

// commitAs commits what has changed since the tree of a fact, and nothing that a
// person has changed meanwhile. A commit with the same trailer that is there
// already is that commit.
func (j *job) commitAs(ctx context.Context, base, subject, trailer string) (string, error) {
	if err := j.taker(ctx).Look(ctx, j.scope(nil)); err != nil {
		return "", err
	}
	hash, again, err := j.land.Commit(ctx, land.Commit{
		Change: work.Change{Base: j.mem.Facts[base], Exclude: j.guard.Private(), Message: j.Redact(subject + "\n\n" + trailer + "\n")},
		Branch: strings.TrimPrefix(j.refs[0], "refs/heads/"), Trailer: trailer, Since: []string{j.now().Base},
	})
	var on *land.BranchError
	var mixed *work.MixedError
	switch {
	case errors.As(err, &on):
		return "", j.pause(workflow.PausedPerson, fmt.Sprintf("%v: git switch %s, then warp workflow resume", on, on.Want), j.ID)
	case errors.As(err, &mixed):
		return "", j.pause(workflow.PausedPerson, fmt.Sprintf("%v: commit or undo your changes, then warp workflow resume", mixed), j.ID)
	case err != nil || hash == "" || again:
		return hash, err
	}
	j.passed("committed")
	j.tell(Note{Kind: Committed, Task: j.ID, Text: text.Hash(hash) + " " + subject})
	return hash, nil
}

// subject is somebody's words as a line of a commit's message.
func subject(words string) string { return untrusted.Line(text.Opening(words)) }
