package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/sys/work"
)

// Trailers tell the commits of a task, and of what was mended apart from it.
const (
	trailerTask = "Warp-Task"
	trailerFix  = "Warp-Fix"
)

// trailer names a commit of the task.
func (r *run) trailer(kind, task, step string) string {
	return fmt.Sprintf("%s: %s/%s/%s", kind, r.now().ID, task, step)
}

func (j *job) message() string {
	return fmt.Sprintf("feat: %s (task %s)\n\n%s\n", j.Name, j.ID, j.trailer(trailerTask, j.ID, "work"))
}

// commit commits what a task changed, once, and lists its files. A task that
// changed nothing has no commit; of one whose agent has committed by itself they
// are among those.
func (j *job) commit(ctx context.Context) (hash string, files []string, err error) {
	hash, err = j.commitAs(ctx, j.mem.Base, j.message())
	if err != nil {
		return "", nil, err
	}
	if hash == "" {
		if hash, err = j.tree.Repo().Head(); err != nil || hash == j.mem.Head {
			return "", nil, err
		}
		j.remark("the agent of task %s committed by itself: %s", j.ID, text.Hash(hash))
	}
	files, err = j.files(j.mem.Head, hash)
	return hash, files, err
}

// files are those that differ between two commits.
func (j *job) files(from, to string) ([]string, error) {
	changes, err := j.tree.Repo().Changes(from, to)
	list := paths(changes)
	slices.Sort(list)
	return slices.Compact(list), err
}

// commitAs commits what has changed since a tree. A commit with the same trailer
// that is there already is that commit, whatever died after it was made.
func (j *job) commitAs(ctx context.Context, base, message string) (hash string, err error) {
	if err := j.onBranch(ctx); err != nil {
		return "", err
	}
	if hash, err = j.made(lastLine(message)); err != nil {
		return "", err
	}
	if hash != "" {
		head, err := j.tree.Repo().Head()
		if err == nil && head == hash { // the index may not have followed before a crash
			err = j.tree.Refresh(ctx, hash)
		}
		return hash, err
	}
	hash, err = j.tree.Commit(ctx, work.Change{Base: base, Exclude: []string{".claude"}, Message: j.Redact(message)})
	switch {
	case errors.Is(err, work.ErrNothing):
		return "", nil
	case hash == "":
		return "", err
	case err != nil:
		j.remark("%v", err)
	}
	j.passed("committed")
	j.tell(Note{Kind: Committed, Task: j.ID, Text: text.Hash(hash) + " " + strings.SplitN(message, "\n", 2)[0]})
	return hash, nil
}

// onBranch checks the branch out again that an agent may have left.
func (j *job) onBranch(ctx context.Context) error {
	want := j.now().Branch
	if j.dir != j.Root {
		want = j.taskBranch(j.ID)
	}
	on, err := j.tree.Repo().Branch()
	if err != nil || on == want {
		return err
	}
	if err := j.tree.Branch(ctx, want, ""); err != nil {
		return j.pause(workflow.PausedPerson, fmt.Sprintf("%s is checked out instead of %s, and cannot be left: %v", orNone(on), want, err), j.ID)
	}
	j.remark("%s was checked out instead of %s, which is checked out again", orNone(on), want)
	return nil
}

// made finds the commit with a trailer among those since the workflow began.
func (j *job) made(trailer string) (string, error) {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	return j.find(j.tree, head, trailer)
}

// find finds the commit with a trailer among those that a tip has since the
// workflow began.
func (r *run) find(t work.Tree, tip, trailer string) (string, error) {
	list, err := t.Repo().Commits(tip, r.now().Base)
	if err != nil {
		return "", err
	}
	for _, c := range list {
		if slices.Contains(strings.Split(c.Message, "\n"), trailer) {
			return c.Hash, nil
		}
	}
	return "", nil
}

func lastLine(message string) string {
	lines := strings.Split(strings.TrimSpace(message), "\n")
	return lines[len(lines)-1]
}

// subject is somebody's words as a line of a commit's message.
func subject(words string) string { return untrusted.Line(text.Opening(words)) }
