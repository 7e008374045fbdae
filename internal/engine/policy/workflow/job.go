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
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/engine/agent"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// job is a task that is under way.
type job struct {
	*site // where its agents work
	taskdoc.Task
	hold  hold
	mem   *step.Memory
	point int    // the checkpoint before it
	why   string // what was wrong with the last iteration
	// unheard: an agent that judges could not be read. What was wrong is not the work's doing.
	unheard bool
	used    agent.Usage // by the run that is being asked
}

// Facts of a job that are not those of a step.
const (
	factEra     = "era"      // when its memory began: what is asked in another costs again
	factAgain   = "again"    // why it starts over, on purpose
	factFrom    = "from"     // the iterations before this try
	factBase    = "base"     // the work tree before it, as a tree, with what is a person's since
	factHead    = "head"     // the commit before it
	treeOf      = "-tree"    // ends the name of the tree before a fix or an improvement
	factBegan   = "began"    // the commit that its separate work tree began at
	factTip     = "tip"      // what was made of it there; "": nothing
	factOnto    = "onto"     // the commit that this was put on top of
	factNext    = "next"     // what came of that
	factUnheard = "-unheard" // ends the name of a check whose supervisor could not be read
	factCrashes = "-crashes" // how often the workflow waited because its supervisor crashed
)

// memory is what is known of a task since a checkpoint.
func (r *run) memory(task string, point int) (*step.Memory, error) {
	s := r.now()
	key := fmt.Sprintf("%s/%d", s.ID, point)
	if s.Text != "" { // what was found by another document does not hold by this one
		key += "/" + text.Hash(s.Text)
	}
	m, _, err := step.Remember(r.Store, r.path(Folder+"/task-"+task+".json"), key)
	return m, err
}

// beginTask begins a task: what it knew before a crash, and its claim of files.
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

// recordDone records that a task is done, and forgets what was only needed on the way.
func (j *job) recordDone(met workflowstate.Criteria, commit string, files []string) error {
	if err := j.run.record("task_done", func(s *workflowstate.State) {
		s.TaskDone(workflowstate.Finish{Task: j.ID, Files: files, Criteria: met, Commit: commit}, j.run.Now())
	}); err != nil {
		return err
	}
	j.run.tell(Note{Kind: TaskEnded, Phase: j.Phase, Task: j.ID, Text: j.Name})
	j.mem.Forget()
	return j.hold.release()
}

// setFact keeps a fact that may have been another before.
func (j *job) setFact(name, value string) error {
	j.mem.Facts[name] = value
	return j.mem.Save()
}

func (j *job) base() string { return j.mem.Facts[factBase] }

// description is what the task wants: as it was re-planned, or as the document has it.
func (j *job) description() string {
	return cmp.Or(j.run.now().PendingTasks.Progress(j.ID).Plan, j.Description)
}

// beginHere has what the task does begin with what is there now.
func (j *job) beginHere(ctx context.Context) error {
	head, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	tree, err := j.begunTree(ctx, head)
	if err != nil {
		return err
	}
	j.mem.Facts[factHead] = head
	return j.setFact(factBase, tree)
}

// setAside has paths that are not an agent's be a part of what the job began with:
// they are in no commit of its.
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

// allows tells what the task's agents may change in the person's work tree: what
// it claims, and more; where no person works, everything.
func (j *job) allows(more ...string) func(string) bool {
	if len(j.Files) == 0 || j.own {
		return nil
	}
	files := append(slices.Clone(j.Files), more...)
	root, err := j.tree.Repo().Root()
	prefix := filepath.FromSlash(root.Prefix)
	return func(path string) bool {
		rel, bad := filepath.Rel(cmp.Or(prefix, "."), filepath.FromSlash(path))
		return claim.Covers(files, path) || errors.Join(err, bad) == nil && claim.Covers(files, filepath.ToSlash(rel))
	}
}

// Trailers tell the commits of a task, and of what was fixed apart from it.
const (
	trailerTask = "Warp-Task"
	trailerFix  = "Warp-Fix"
)

// workTrailer names the commit of what the task does.
func (j *job) workTrailer() string {
	s := j.run.now()
	return trailerOf(trailerTask, s.ID, j.ID, workflowstate.WorkOf(s.PendingTasks.Progress(j.ID).Round))
}

// trailerOf names a commit of a task.
func trailerOf(kind, id, task, step string) string {
	return fmt.Sprintf("%s: %s/%s/%s", kind, id, task, step)
}

// commitTask commits what the task changed, once, and lists its files. A task that
// changed nothing has no commit.
func (j *job) commitTask(ctx context.Context) (hash string, files []string, err error) {
	hash, err = j.commitChanges(ctx, factBase, fmt.Sprintf("feat: %s (task %s)", commit.Clean(j.Name), j.ID), j.workTrailer())
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

// commitFix commits what was changed apart from the task since the tree of a name.
// What is said of it are an agent's words.
func (j *job) commitFix(ctx context.Context, name, kind, said string) (string, error) {
	return j.commitChanges(ctx, name+treeOf, kind+": "+commit.Clean(text.Opening(said)), trailerOf(trailerFix, j.run.now().ID, j.ID, name))
}

// commitChanges commits what has changed since the tree of a fact, and nothing that a
// person has changed meanwhile. A commit with the same trailer that is there
// already is that commit.
func (j *job) commitChanges(ctx context.Context, base, subject, trailer string) (string, error) {
	if err := j.taker(ctx).Look(ctx, j.scope(nil)); err != nil {
		return "", err
	}
	hash, again, err := j.land.Commit(ctx, land.Commit{
		Change: gitwrite.Change{Base: j.mem.Facts[base], Exclude: j.guard.Private(), Message: j.run.Redact(subject + "\n\n" + trailer + "\n")},
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
	j.run.tell(Note{Kind: Committed, Task: j.ID, Text: text.Hash(hash) + " " + subject})
	return hash, nil
}

// takeBack makes the work tree what it was before a fix or an improvement, but for
// what a person has changed since.
func (j *job) takeBack(ctx context.Context, name string) error {
	if err := j.taker(ctx).Look(ctx, j.scope(nil)); err != nil {
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
