// Package workflow executes task documents: phases of tasks, each a loop of
// implementing, verifying and reviewing until its success criteria hold, under a
// supervisor, with checkpoints to go back to. It is a policy about the next step:
// what may happen to the state is core/workflow's to say, what is to be done
// core/taskdoc's; every run of an agent is taken by engine/step, under guard.
//
// Nothing that an agent says counts by itself: criteria are met when their
// commands pass, or when another agent that can only read confirms them from the
// diff, and before anything is merged all of it is proved again on the tree that
// is merged. What an agent answered is kept before anything is made of it, so
// whatever dies on the way, no agent is asked the same twice and no task is done
// twice. What a person changed is in no commit.
package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/durable"
	"warp/internal/engine/detect"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/leak"
	"warp/internal/engine/lessons"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
	"warp/internal/turnstile/documents"
)

// Engine executes the workflows of one project.
type Engine struct {
	Stores
	Trees
	Persons
	Tracker forge.Tracker
	// Agents is who runs the tasks of a named agent; "": of the configured.
	Agents  func(name string) (step.Agents, error)
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for tests of crashes
	Now     func() time.Time
	Asleep  func() time.Duration // how much of it was slept; nil: as the system says
	Process step.Process
	Checks
	Bounds
	Options

	live *step.Live // nil: it does not run
}

// Trees are the work trees that it works in.
type Trees struct {
	Root  string // the project's folder in the person's work tree
	Work  gitwrite.Tree
	State string // where guards keep copies; "": in git's own folder
	// Moved tells other engines of the repository that a branch was moved; nil: none is.
	Moved func(branch, old, new string)
	// Furnish brings what a new work tree needs besides its commit; nil: nothing.
	Furnish place.Furnish
}

// Persons are asked, where they can be; a nil one cannot.
type Persons struct {
	// Approve asks about the plan; false: they reject it. Nil: the workflow waits.
	Approve func(ctx context.Context, plan string) (bool, error)
	// Choose asks about a document that has changed since the workflow began; true: it
	// is planned again.
	Choose func(ctx context.Context, diff string) (bool, error)
	// Ended tells those who are away how the workflow ended, before that is on record.
	Ended func(*workflowstate.State)
}

// Stores are where documents are kept.
type Stores struct {
	Store *durable.Store
	Home  *durable.Store // the project's, for what outlives a work tree; nil: Store
}

// learnings is what was learned in the project.
func (s Stores) learnings() *lessons.Store { return lessons.Open(cmp.Or(s.Home, s.Store)) }

// Checks are how work is judged.
type Checks struct {
	Leaks     *leak.Scanner   // refuses commits with secrets; nil: nothing is scanned
	Integrity judge.Integrity // nil: judge.CheckIntegrity
	Tests     string          // the project's test command; "": it has none
	Find      bool            // it is found out by what the workflow began with
	Environ   []string        // of commands
	Rooms     judge.Rooms     // that they are run in; nil: in the work tree
	Protected []string        // patterns of files that decide how they are run
}

// Bounds are those that the document does not have.
type Bounds struct {
	Idle   time.Duration // that an agent may be silent
	Tokens int64         // of the workflow; 0: no bound
	// Used says which budget beyond the workflow is used up; nil: there is none.
	Used func(ctx context.Context) (why string, err error)
	// Away is half of the first pause before a tracker that is away is tried again; 0: 2 s.
	Away  time.Duration
	Beats <-chan time.Time // when the time is written while agents work; nil: every half minute
}

// Options are what a person says when they start it.
type Options struct {
	Level     int
	Parallel  int // how many tasks run side by side
	Yes       bool
	Replan    bool                 // a document that has changed since is planned again
	AsPlanned bool                 // it is continued as it was planned
	InPlace   bool                 // in the person's work tree, not in a separate one
	Total     workflowstate.Limits // in place of those in force
}

// Files of ours, under the store's folder.
const (
	// Folder holds what is known of the workflow that is under way.
	Folder = "state/workflow"
	// oldPlan is where the plan was kept before it was a part of the state.
	oldPlan = Folder + "/plan.json"
)

// PausedError says that a workflow waits for a person.
type PausedError struct{ Pause workflowstate.Pause }

func (e *PausedError) Error() string { return e.Pause.Why }

// NothingError says that there is no workflow here that could be resumed.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// run is a workflow that is under way.
type run struct {
	*ledger
	locks  *step.Document[claim.Locks]
	shared *guard.Shared
	remote *guard.Remote // nil: there is none
	places *place.Places
	person *site  // the person's work tree
	home   *site  // where the workflow works
	target string // the branch that is merged into
}

// Run takes a workflow from its document to its end, or continues the unfinished
// one when path is "". The error says that it could not be taken there: a
// *PausedError when it waits for a person.
func (e *Engine) Run(ctx context.Context, path string) (*workflowstate.State, error) {
	r := e.newRun()
	lease, err := step.Acquire(ctx, e.Store, workflowstate.Lease, e.Process, e.remark)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	r.state.Lease, e.live = lease, lease.Live
	if s, err := (milestones{r}).fileLeft(ctx, path); s != nil || err != nil {
		return s, err
	}
	if r.person, err = r.newSite(e.Work, e.Root, ""); err == nil {
		r.places.Moved = r.person.guard.RecordMove
		defer r.person.guard.Clear() // also what an engine held that was killed
		err = opening{r}.begin(ctx, path)
	}
	if err != nil {
		return r.now(), err
	}
	defer r.home.guard.Clear()
	stop := r.keepTime()
	if err = r.prepare(ctx); err == nil {
		err = milestones{r}.fileMissing(ctx, 0) // of before it was resumed
	}
	if err == nil {
		err = r.runStatuses(ctx)
	}
	err = r.stopped(err)
	milestones{r}.sayUnfiled()
	stop()
	if !r.now().Orchestrator.Status.Ended() {
		_ = r.record("elapsed", (*workflowstate.State).EngineLeaves) // how long it took; the next step writes it, too
	}
	err = cmp.Or(err, r.freeClaims())
	return r.now(), err
}

func (e *Engine) newRun() *run {
	if e.Integrity == nil {
		e.Integrity = judge.CheckIntegrity
	}
	l := &ledger{Engine: e, awake: proc.AwakeClock(e.Now, e.Asleep), nap: proc.NewSleepMeter(e.Asleep)}
	l.began = l.awake()
	l.state = &step.Document[workflowstate.State]{Doc: documents.OpenWorkflow(e.Store), Remark: e.remark, Passed: e.Passed, Before: l.atWork}
	r := &run{ledger: l, shared: guard.NewShared(), places: &place.Places{Root: e.Root, Work: e.Work, Furnish: e.Furnish}}
	r.places.Base = func() string { return r.now().Base }
	r.locks = &step.Document[claim.Locks]{Doc: durable.Open(e.Store, claim.File, claims), Remark: e.remark}
	r.locks.Set(&claim.Locks{})
	return r
}

// prepare looks after what a run has left whose engine was killed, and asks the
// remote where it is, before the first run.
func (r *run) prepare(ctx context.Context) error {
	r.bounds, r.state.Alone = r.newBounds(), true
	r.home.refs = []string{"refs/heads/" + r.now().Branch, "refs/heads/" + r.target}
	if on := "refs/heads/" + r.now().BeganOn; r.now().BeganOn != "" && !slices.Contains(r.home.refs, on) {
		r.home.refs = append(r.home.refs, on)
	}
	if err := r.home.recover(ctx); err != nil {
		return err
	}
	if err := (target{r}).check(); err != nil {
		return err
	}
	if r.Find {
		root, err := r.Work.Repo().Root()
		if err != nil {
			return err
		}
		r.Tests = detect.FindTests(judge.ReadTree(r.Work.Repo(), r.now().Base, strings.TrimSuffix(root.Prefix, "/")))
	}
	name, has, err := r.Work.Remotes().Choose(ctx)
	if err != nil || !has {
		return err
	}
	r.remote = &guard.Remote{Work: r.Work, Name: name, Remark: r.remark, Ours: land.KnowCommits(r.home.land.Home)}
	r.home.land.Remote = r.remote
	return r.remote.Check(ctx, r.home.refs[0])
}

// runStatuses goes through the statuses until there is no way on.
func (r *run) runStatuses(ctx context.Context) error {
	steps := map[workflowstate.Status]func(context.Context) error{
		workflowstate.Planning:  phases{r}.planning,
		workflowstate.Executing: phases{r}.executing,
		workflowstate.Reviewing: phases{r}.reviewing,
	}
	for {
		status := r.now().Orchestrator.Status
		next, ok := steps[status]
		if !ok {
			r.tell(Note{Kind: Ended, Text: string(status)})
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := next(ctx); err != nil {
			return err
		}
		if r.now().Orchestrator.Status == status {
			return fmt.Errorf("the workflow stays %s: this is a bug", status)
		}
	}
}

// stopped makes a pause of what only a person can do something about.
func (r *run) stopped(err error) error {
	var stop *step.StoppedError
	var pushed *guard.PushedError
	var changed *guard.ChangedError
	var late *judge.OutOfTimeError
	switch {
	case errors.As(err, &late):
		return cmp.Or(r.outOfTime("", late), err)
	case errors.As(err, &stop):
		return r.pause(workflowstate.PausedAgent, "", "%s; %s", stop.Why, stop.Do)
	case errors.As(err, &pushed):
		return r.pause(workflowstate.PausedPerson, "", "%v: check the work tree, then warp workflow resume", pushed)
	case errors.As(err, &changed):
		return r.pause(workflowstate.PausedPerson, "", "%v; the old versions are in %s: compare them, then warp workflow resume", changed, changed.Before)
	}
	return err
}

// path is the full path of something in the store's folder.
func (e *Engine) path(name string) string { return filepath.Join(e.Store.Dir(), name) }

// edit replaces a file in the store's folder, durably.
func (e *Engine) edit(name string, fn func([]byte) ([]byte, error)) error {
	return e.Store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(e.Store.Dir()), name)), fn)
}
