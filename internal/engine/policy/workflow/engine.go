// Package workflow executes task documents: phases of tasks, each a loop of implementing, verifying
// and reviewing until its success criteria hold, under a supervisor, with checkpoints to return to.
// It decides the next step: core/workflowstate says what may happen to the state, core/taskdoc what
// to do, and engine/step runs every agent under guard.
//
// An agent's word counts for nothing: a criterion is met when its command passes, or when another
// agent with read-only access confirms it from the diff, and before a merge everything is proved
// again on the merged tree. Answers are saved before they are used, so after a crash no agent is
// asked the same twice and no task is done twice. A person's changes are in no commit.
package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
	// Agents returns the runner of a named agent; "" is the configured one.
	Agents  func(name string) (step.Agents, error)
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for crash tests
	Now     func() time.Time
	Asleep  func() time.Duration // how much of that time the machine slept; nil: as the system says
	Process step.Process
	Checks
	Bounds
	Options

	live *step.Live // nil: not running
}

// Trees are the work trees that the engine works in.
type Trees struct {
	Root  string // the project's folder in the person's work tree
	Work  gitwrite.Tree
	State string // where guards keep copies; "": git's own folder
	// Moved tells the repository's other engines that a branch moved; may be nil.
	Moved func(branch, old, new string)
	// Furnish prepares a new work tree beyond its commit; nil: nothing.
	Furnish place.Furnish
}

// Persons asks people; a nil function means that no one can be asked.
type Persons struct {
	// Approve asks about the plan; false rejects it. Nil: the workflow waits.
	Approve func(ctx context.Context, plan string) (bool, error)
	// Choose asks whether to plan again from a document that has changed since the start.
	Choose func(ctx context.Context, diff string) (bool, error)
	// Ended tells people who are away how the workflow ended, before that is recorded.
	Ended func(*workflowstate.State)
}

// Stores hold the documents.
type Stores struct {
	Store *durable.Store
	Home  *durable.Store // the project's, for what outlives a work tree; nil: Store
}

func (s Stores) learnings() *lessons.Store { return lessons.Open(cmp.Or(s.Home, s.Store)) }

// Checks configure how work is judged.
type Checks struct {
	Leaks     *leak.Scanner   // refuses commits with secrets; nil: no scan
	Integrity judge.Integrity // nil: judge.CheckIntegrity
	Tests     string          // the project's test command; "": none
	Find      bool            // detect Tests from the files the workflow started with
	Environ   []string        // for commands
	Rooms     judge.Rooms     // where commands run; nil: in the work tree
	Protected []string        // patterns of files that decide how commands run
}

// Bounds are the limits that the document does not set.
type Bounds struct {
	Idle   time.Duration // how long an agent may be silent
	Tokens int64         // for the workflow; 0: unlimited
	// Used returns which budget beyond the workflow is used up; may be nil.
	Used func(ctx context.Context) (why string, err error)
	// Away is half of the first pause before an unreachable tracker is retried; 0: 2 s.
	Away  time.Duration
	Beats <-chan time.Time // when to write the elapsed time while agents work; nil: every 30 s
}

// Options are what a person asks for at the start.
type Options struct {
	Level     int
	Parallel  int // how many tasks run in parallel
	Yes       bool
	Replan    bool                 // plan again if the document has changed
	AsPlanned bool                 // keep the plan even if the document has changed
	InPlace   bool                 // in the person's work tree, not a separate one
	Total     workflowstate.Limits // override the limits in force
}

const (
	// Folder holds what is known of the present workflow.
	Folder = "state/workflow"
	// oldPlan is where the plan was kept before it became part of the state.
	oldPlan = Folder + "/plan.json"
)

// PausedError reports that a workflow waits for a person.
type PausedError struct{ Pause workflowstate.Pause }

func (e *PausedError) Error() string { return e.Pause.Why }

// NothingError reports that there is no workflow to resume.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// run is a workflow in progress.
type run struct {
	*ledger
	locks  *step.Document[claim.Locks]
	shared *guard.Shared
	remote *guard.Remote // nil: no remote
	places *place.Places
	person *site  // the person's work tree
	home   *site  // where the workflow works
	target string // the branch to merge into
}

// Run runs a workflow from its document to its end, or continues the unfinished one if path is "".
// The error is a *PausedError if it waits for a person.
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
		defer r.person.guard.Clear() // including what a killed engine left
		err = opening{r}.begin(ctx, path)
	}
	if err != nil {
		return r.now(), err
	}
	defer r.home.guard.Clear()
	stop := r.keepTime()
	if err = r.prepare(ctx); err == nil {
		err = milestones{r}.fileMissing(ctx, 0) // from before it was resumed
	}
	if err == nil {
		err = r.runStatuses(ctx)
	}
	err = r.pauseForPerson(err)
	milestones{r}.remarkUnfiled()
	stop()
	if !r.now().Orchestrator.Status.Ended() {
		_ = r.record("elapsed", (*workflowstate.State).EngineLeaves) // best effort: the next step writes it too
	}
	err = cmp.Or(err, r.freeClaims())
	return r.now(), err
}

func (e *Engine) newRun() *run {
	if e.Integrity == nil {
		e.Integrity = judge.CheckIntegrity
	}
	l := &ledger{Engine: e, awake: proc.AwakeClock(e.Now, e.Asleep), sleepMeter: proc.NewSleepMeter(e.Asleep)}
	l.began = l.awake()
	l.state = &step.Document[workflowstate.State]{Doc: documents.OpenWorkflow(e.Store), Remark: e.remark, Passed: e.Passed, Before: l.markAtWork}
	r := &run{ledger: l, shared: guard.NewShared(), places: &place.Places{Root: e.Root, Work: e.Work, Furnish: e.Furnish}}
	r.places.Base = func() string { return r.now().Base }
	r.locks = &step.Document[claim.Locks]{Doc: durable.Open(e.Store, claim.File, claims), Remark: e.remark}
	r.locks.Set(&claim.Locks{})
	return r
}

// recoverKilled cleans up after a run whose engine was killed, and releases its claims.
func (r *run) recoverKilled(ctx context.Context) error {
	r.home.refs = []string{"refs/heads/" + r.now().Branch, "refs/heads/" + r.target}
	if on := "refs/heads/" + r.now().BeganOn; r.now().BeganOn != "" && !slices.Contains(r.home.refs, on) {
		r.home.refs = append(r.home.refs, on)
	}
	return cmp.Or(r.home.recover(ctx), r.freeClaims())
}

// prepare cleans up after an earlier workflow, and checks the remote before the first run.
func (r *run) prepare(ctx context.Context) error {
	r.bounds, r.state.Alone = r.newBounds(), true
	if err := r.recoverKilled(ctx); err != nil {
		return err
	}
	if err := (target{r}).check(); err != nil {
		return err
	}
	if r.Find {
		r.Tests = r.findTests(r.now().Base)
	}
	name, has, err := r.Work.Remotes().Choose(ctx)
	if err != nil || !has {
		return err
	}
	r.remote = &guard.Remote{Work: r.Work, Name: name, Remark: r.remark, Ours: land.KnowCommits(r.home.land.Home)}
	r.home.land.Remote = r.remote
	return r.remote.Check(ctx, r.home.refs[0])
}

// findTests detects the test command from a commit's files.
func (r *run) findTests(commit string) string {
	return detect.FindTests(judge.ReadTree(r.Work.Repo(), commit, r.Work.Root().Folder()))
}

// runStatuses runs the step of each status until a final one.
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

// pauseForPerson turns errors that only a person can resolve into a pause.
func (r *run) pauseForPerson(err error) error {
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

func (e *Engine) path(name string) string { return filepath.Join(e.Store.Dir(), name) }

// edit replaces a file in the store's folder, durably.
func (e *Engine) edit(name string, fn func([]byte) ([]byte, error)) error {
	return e.Store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(e.Store.Dir()), name)), fn)
}
