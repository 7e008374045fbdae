package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/scope"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// job is a task in progress.
type job struct {
	*site // where its agents work
	taskdoc.Task
	hold    hold
	mem     *step.Memory
	point   int           // the checkpoint before it
	why     string        // what was wrong with the last iteration
	stood   string        // the objection of the last iteration, if the verdict stands although it was heard
	judged  []scope.Point // what the verifier said no one asked for; nil: nothing about it
	unasked []scope.Point // what was left of that
}

// Facts of a job that do not belong to a step.
const (
	factEra   = "era"   // when its memory began: questions of another era cost again
	factAgain = "again" // why it starts over, on purpose
	factFrom  = "from"  // the number of iterations before this try
	factBase  = "base"  // the tree before it, plus a person's changes since
	factHead  = "head"  // the commit before it
	treeOf    = "-tree" // suffix of the tree before a fix or an improvement
	factBegan = "began" // the commit at which its separate work tree started
	factTip   = "tip"   // the task's commit there; "": none
	factOnto  = "onto"  // the commit that tip was rebased onto
	factNext  = "next"  // the result of that rebase
)

// memory opens what is known of a task since a checkpoint.
func (r *run) memory(task string, point int) (*step.Memory, error) {
	s := r.now()
	key := fmt.Sprintf("%s/%d", s.ID, point)
	if s.Text != "" { // findings under another document do not apply to this one
		key += "/" + text.Hash(s.Text)
	}
	m, _, err := step.Remember(r.Store, r.path(Folder+"/task-"+task+".json"), key)
	return m, err
}

// beginTask starts a task with its memory from before a crash, and claims its files.
func (r *run) beginTask(t taskdoc.Task, point int) (*job, error) {
	m, err := r.memory(t.ID, point)
	if err != nil {
		return nil, err
	}
	j := &job{site: r.home, Task: t, mem: m, point: point, hold: r.holdOf(t.ID)}
	if err := j.hold.claimOrPause(t.Files); err != nil {
		return nil, err
	}
	began := false
	if err := r.record("task_began", func(s *workflowstate.State) { began = s.TaskBegun(t.ID, r.Now()) }); err != nil {
		return nil, err
	}
	if began {
		r.tell(Note{Kind: TaskBegan, Phase: t.Phase, Task: t.ID, Text: t.Name})
	}
	return j, nil
}

// recordDone records that a task is done, and drops its memory.
func (j *job) recordDone(met workflowstate.Criteria, commit string, files []string) error {
	if err := j.run.record("task_done", func(s *workflowstate.State) {
		s.TaskDone(workflowstate.Finish{Task: j.ID, Files: files, Criteria: met, Commit: commit, Unasked: j.unasked}, j.run.Now())
	}); err != nil {
		return err
	}
	j.run.tell(Note{Kind: TaskEnded, Phase: j.Phase, Task: j.ID, Text: j.Name})
	j.mem.Forget()
	return j.hold.release()
}

// setFact sets a fact that may have had another value.
func (j *job) setFact(name, value string) error {
	j.mem.Facts[name] = value
	return j.mem.Save()
}

func (j *job) base() string { return j.mem.Facts[factBase] }

// description returns the task's description: re-planned, or from the document.
func (j *job) description() string {
	return cmp.Or(j.run.now().PendingTasks.Progress(j.ID).Plan, j.Description)
}

// beginHere makes the present work tree the task's starting point.
func (j *job) beginHere(ctx context.Context) error {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	tree, err := j.startingTree(ctx, head)
	if err != nil {
		return err
	}
	j.mem.Facts[factHead] = head
	return j.setFact(factBase, tree)
}

// setAside adds paths that no agent changed to the job's starting trees, so that they are in none
// of its commits.
func (j *job) setAside(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	now, err := j.snapshot()
	if err != nil {
		return err
	}
	for name, tree := range j.mem.Facts {
		if name != factBase && !strings.HasSuffix(name, treeOf) || tree == "" {
			continue
		}
		if j.mem.Facts[name], err = j.tree.Repo().Trees().Graft(ctx, tree, now, paths); err != nil {
			return err
		}
	}
	return j.mem.Save()
}

// allows returns the paths that the task's agents may change in the person's work tree: the claimed
// ones, and more; nil (everything) in the workflow's own.
func (j *job) allows(more ...string) func(string) bool {
	if len(j.Files) == 0 || j.own {
		return nil
	}
	files := append(slices.Clone(j.Files), more...)
	prefix := filepath.FromSlash(cmp.Or(j.tree.Root().Folder(), "."))
	return func(path string) bool {
		rel, err := filepath.Rel(prefix, filepath.FromSlash(path))
		return claim.Covers(files, path) || err == nil && claim.Covers(files, filepath.ToSlash(rel))
	}
}

// Trailers identify the commits of a task, and of separate fixes.
const (
	trailerTask = "Warp-Task"
	trailerFix  = "Warp-Fix"
)

// workTrailer returns the trailer of the task's own commit.
func (j *job) workTrailer() string {
	s := j.run.now()
	return trailerOf(trailerTask, s.ID, j.ID, workflowstate.WorkOf(s.PendingTasks.Progress(j.ID).Round))
}

func trailerOf(kind, id, task, step string) string {
	return fmt.Sprintf("%s: %s/%s/%s", kind, id, task, step)
}

// commitTask commits what the task changed, once, and lists the files. A task that changed nothing
// has no commit.
func (j *job) commitTask(ctx context.Context) (hash string, files []string, err error) {
	var rounds []string
	for n := range len(j.mem.Answers) {
		rounds = append(rounds, implementing(n+1))
	}
	hash, err = j.commitChanges(ctx, factBase, j.message(ctx, commit.Work{Title: j.Name, Part: "task " + j.ID}, j.workTrailer(), rounds...), j.workTrailer())
	if err != nil || hash == "" {
		return "", nil, err
	}
	files, err = filesOf(ctx, j.tree.Repo(), hash)
	return hash, files, err
}

// filesOf returns the files that a commit changes.
func filesOf(ctx context.Context, repo git.Repo, hash string) ([]string, error) {
	out, err := repo.Must(ctx, git.Call{Args: []string{"diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--end-of-options", hash}})
	return git.Split(out), err
}

// commitFix commits what was changed apart from the task since the named tree. why is an agent's
// text.
func (j *job) commitFix(ctx context.Context, name, kind, why string) (string, error) {
	trailer := trailerOf(trailerFix, j.run.now().ID, j.ID, name)
	why, _, _ = strings.Cut(why, ". ")
	return j.commitChanges(ctx, name+treeOf, j.message(ctx, commit.Work{Title: why, Kind: kind}, trailer, name), trailer)
}

// message returns the message of a commit: what the agents of the steps said of it, oldest first.
func (j *job) message(ctx context.Context, w commit.Work, trailer string, steps ...string) string {
	var said []string
	for _, name := range steps {
		var a struct{ Commit, Summary string }
		if answer, ok := j.mem.Answers[name]; ok && !answer.Failed() && answer.Read(&a) {
			w.Said, said = append(w.Said, a.Commit), append(said, a.Summary)
		}
	}
	slices.Reverse(w.Said)
	return j.run.Redact(commit.Message(j.land.Style(ctx).Subject(w), strings.Join(slices.Compact(said), "\n\n"), trailer))
}

// commitChanges commits what has changed since the tree of a fact, without a person's changes. If a
// commit with the same trailer exists, it is returned instead.
func (j *job) commitChanges(ctx context.Context, base, message, trailer string) (string, error) {
	if err := j.taker(ctx).FindPersonChanges(ctx, j.scope(nil)); err != nil {
		return "", err
	}
	hash, again, err := j.land.Commit(ctx, land.Commit{
		Change: gitwrite.Change{Base: j.mem.Facts[base], Exclude: j.guard.Private(), Message: message},
		Branch: strings.TrimPrefix(j.refs[0], "refs/heads/"), Trailer: trailer, Since: []string{j.run.now().Base}, Asked: criteriaTexts(j.Task, j.run.plan()),
	})
	var on *land.BranchError
	var mixed *gitwrite.MixedError
	var refused land.Refusal
	switch {
	case errors.As(err, &on):
		return "", j.run.pause(workflowstate.PausedPerson, j.ID, "%v: git -C %s switch %s, then warp workflow resume", on, j.dir, on.Want)
	case errors.As(err, &mixed):
		return "", j.run.pause(workflowstate.PausedPerson, j.ID, "%v: commit or undo your changes, then warp workflow resume", mixed)
	case errors.As(err, &refused):
		return "", j.run.pause(workflowstate.PausedPerson, j.ID, "%v; then warp workflow resume", refused)
	case err != nil || hash == "" || again:
		return hash, err
	}
	j.run.pass("committed")
	j.run.tell(Note{Kind: Committed, Task: j.ID, Text: text.Hash(hash) + " " + text.FirstLine(message)})
	return hash, nil
}

// takeBack restores the work tree from before a fix or an improvement, except for a person's
// changes since.
func (j *job) takeBack(ctx context.Context, name string) error {
	if err := j.taker(ctx).FindPersonChanges(ctx, j.scope(nil)); err != nil {
		return err
	}
	now, err := j.snapshot()
	if err == nil {
		err = place.Fill(ctx, j.tree, now, j.mem.Facts[name+treeOf])
	}
	if err != nil {
		return err
	}
	return j.guard.Settle(ctx)
}
