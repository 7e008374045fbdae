package workflow

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// job is a task that is under way.
type job struct {
	*site // where its agents work
	taskdoc.Task
	mem  *step.Memory
	why  string      // what was wrong with the last iteration
	used agent.Usage // by the run that is being asked
}

// Facts of a job that are not those of a step.
const (
	factFrom  = "from"  // the iterations before this try
	factBase  = "base"  // the work tree before it, as a tree, with what is a person's since
	factHead  = "head"  // the commit before it
	treeOf    = "-tree" // ends the name of the tree before a fix or an improvement
	factBegan = "began" // the commit that a work tree of its own began at
	factTip   = "tip"   // what was made of it there; "": nothing
	factOnto  = "onto"  // the commit that this was put on top of
	factNext  = "next"  // what came of that
)

// know keeps a fact that may have been another before.
func (j *job) know(name, value string) error {
	j.mem.Facts[name] = value
	return j.mem.Save()
}

func (j *job) base() string { return j.mem.Facts[factBase] }

// batch runs tasks that have nothing to do with each other: one in the person's
// work tree, several side by side, each in a work tree of its own, which are
// brought together in the order of the tasks.
func (r phases) batch(ctx context.Context, list []taskdoc.Task) error {
	points := make([]int, len(list))
	for i, t := range list {
		n, err := r.checkpoint(ctx, t.Phase, t.ID)
		if err != nil {
			return err
		}
		points[i] = n
	}
	r.bounds.Share(len(list))
	if len(list) == 1 && !r.places.Exists(r.placeName(list[0].ID)) {
		return r.alone(ctx, list[0], points[0])
	}
	return (&sides{r.run}).all(ctx, list, points)
}

// alone runs a task in the person's work tree.
func (r phases) alone(ctx context.Context, t taskdoc.Task, point int) error {
	j, _, err := r.takeUp(t, point)
	if err != nil {
		return err
	}
	j.site = r.home
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

// memory is what is known of a task since a checkpoint.
func (r *run) memory(task string, point int) (*step.Memory, bool, error) {
	return step.Remember(r.path(Folder+"/task-"+task+".json"), fmt.Sprintf("%s/%d", r.now().ID, point))
}

// takeUp begins a task: what it knew before a crash, and its claim of files. Fresh
// says that it knows nothing.
func (r *run) takeUp(t taskdoc.Task, point int) (j *job, fresh bool, err error) {
	m, fresh, err := r.memory(t.ID, point)
	if err != nil {
		return nil, false, err
	}
	j = &job{site: r.home, Task: t, mem: m}
	if err := j.hold().claim(t.Files); err != nil {
		return nil, false, err
	}
	began := false
	if err := r.update("task_began", func(s *workflow.State) error { began = s.TaskBegun(t.ID, r.Now()); return nil }); err != nil {
		return nil, false, err
	}
	if began {
		r.tell(Note{Kind: TaskBegan, Phase: t.Phase, Task: t.ID, Text: t.Name})
	}
	return j, fresh, nil
}

// loop iterates until the task's criteria are met and nobody objects. The error
// is a *PausedError where it waits for a person.
func (j *job) loop(ctx context.Context) (workflow.Criteria, error) {
	if j.base() == "" {
		if err := j.rebase(); err != nil {
			return nil, err
		}
	}
	done := 0
	if p := j.now().Pending(j.ID); p != nil {
		done = p.Iterations
	}
	from, err := step.Found(j.mem, factFrom, func() (int, error) { return done, nil })
	if err != nil {
		return nil, err
	}
	defer j.hold().keep(ctx)()
	s := supervisor{j}
	if err := s.check(ctx, workflow.PreTask, from); err != nil {
		return nil, err
	}
	for n := from + 1; ; n++ { // those that were made before a crash are known
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

// rebase has what the task does begin with what is there now.
func (j *job) rebase() error {
	tree, err := j.snapshot()
	if err != nil {
		return err
	}
	head, err := j.tree.Repo().Head()
	if err != nil {
		return err
	}
	j.mem.Facts[factBase], j.mem.Facts[factHead] = tree, head
	return j.mem.Save()
}

// setAside has paths that are not an agent's be a part of what the job began with:
// they are in no commit of its.
func (j *job) setAside(ctx context.Context, paths []string) error {
	now, err := j.snapshot()
	if err != nil {
		return err
	}
	for name, tree := range j.mem.Facts {
		if name != factBase && !strings.HasSuffix(name, treeOf) || tree == "" {
			continue
		}
		if j.mem.Facts[name], err = j.tree.Repo().Graft(ctx, tree, now, paths); err != nil {
			return err
		}
	}
	return j.mem.Save()
}

// allows tells what the task's agents may change in the person's work tree: what
// it claims, and more; in a work tree of its own, everything.
func (j *job) allows(more ...string) func(string) bool {
	if len(j.Files) == 0 || j.apart() {
		return nil
	}
	files := append(slices.Clone(j.Files), more...)
	prefix, _ := filepath.Rel(j.tree.Top(), j.dir) // they are on one disk
	return func(path string) bool {
		rel, err := filepath.Rel(prefix, filepath.FromSlash(path))
		return claim.Covers(files, path) || err == nil && claim.Covers(files, filepath.ToSlash(rel))
	}
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
	j.mem.Forget()
	return j.hold().release()
}

// iterations is how many of the task's are done.
func (j *job) iterations() string {
	if p := j.now().Pending(j.ID); p != nil {
		return strconv.Itoa(p.Iterations)
	}
	return "0"
}

// all tells whether all of some criteria are met.
func all(met workflow.Criteria) bool {
	return !slices.ContainsFunc(met, func(c workflow.Criterion) bool { return !c.Met })
}
