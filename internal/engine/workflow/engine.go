// Package workflow executes task documents: phases of tasks, each a loop of
// implementing, verifying and reviewing until its success criteria hold, under a
// supervisor, with checkpoints to go back to. What may happen to the state is
// core/workflow's to say, what is to be done core/taskdoc's.
//
// Nothing that an agent says counts by itself: criteria are met when their
// commands pass, or when another agent that can only read confirms them from the
// diff. What an agent answered is kept before anything is made of it, so whatever
// dies on the way, no agent is asked the same twice and no task is done twice.
package workflow

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
)

// Agents run tasks; agent.Runner is one.
type Agents interface {
	Run(ctx context.Context, t agent.Task) (agent.Result, error)
}

// Engine executes the workflows of one project.
type Engine struct {
	Store   *durable.Store
	Root    string // the work tree
	Work    work.Tree
	Tracker forge.Tracker
	// Agents is who runs the tasks of a named agent; "": of the configured.
	Agents func(name string) (Agents, error)
	// Approve asks a person about the plan; false: they reject it. Nil: nobody
	// can be asked, so the workflow waits.
	Approve func(ctx context.Context, plan string) (bool, error)
	// Secrets finds secrets in a text.
	Secrets func(text string) []string
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for tests of crashes
	Now     func() time.Time
	PID     int
	Host    string

	Level    int
	Parallel int // how many tasks run side by side
	Yes      bool
}

// Lease is what keeps a second engine out.
const Lease = "workflow"

// PausedError says that a workflow waits for a person.
type PausedError struct{ Pause workflow.Pause }

func (e *PausedError) Error() string { return e.Pause.Why }

// Kind is how the document is kept.
var Kind = durable.Kind[workflow.State]{Name: workflow.Name, Validate: workflow.Validate}

// Open names the document of a project's workflow.
func Open(store *durable.Store) *durable.Doc[workflow.State] {
	return durable.Open(store, workflow.File, Kind)
}

// claims is how the claims of files are kept.
var claims = durable.Kind[claim.Locks]{Name: claim.Name, Validate: claim.Validate}

// run is a workflow that is under way.
type run struct {
	*Engine
	doc   *taskdoc.Document
	hold  *durable.Lease
	began time.Time     // by this process
	had   time.Duration // of work before that

	purse     purse
	rewriting sync.Mutex // of the plan

	unpriced sync.Once // it was said that a bound cannot be held

	mu    sync.Mutex
	file  *durable.Doc[workflow.State]
	locks *durable.Doc[claim.Locks]
	state *workflow.State // as it was written last
}

// Run takes a workflow from its document to its end, or goes on with the one that
// is unfinished when path is "". The error says that it could not be taken there:
// a *PausedError when it waits for a person.
func (e *Engine) Run(ctx context.Context, path string) (*workflow.State, error) {
	stamp, _ := proc.Started(e.PID)
	hold, old, err := e.Store.Acquire(Lease, durable.Process{PID: e.PID, Stamp: stamp, Host: e.Host}, proc.Started)
	if err != nil {
		return nil, err
	}
	defer func() { _ = hold.Release() }()
	r := &run{Engine: e, hold: hold, began: e.Now(), file: Open(e.Store), locks: durable.Open(e.Store, claim.File, claims)}
	if old != nil {
		r.remark("the workflow that ran here (process %d) is gone; it is gone on with", old.PID)
	}
	beating, enough := context.WithCancel(context.WithoutCancel(ctx))
	defer enough()
	go func() { _ = hold.Keep(beating) }() // a lost lease is noticed before the next write
	if err := r.begin(ctx, path); err != nil {
		return r.state, err
	}
	err = r.drive(ctx)
	r.elapse()
	if free := r.free(); err == nil {
		err = free
	}
	return r.now(), err
}

// drive goes through the statuses until there is no way on.
func (r *run) drive(ctx context.Context) error {
	steps := map[workflow.Status]func(context.Context) error{
		workflow.Planning:  r.planning,
		workflow.Executing: r.executing,
		workflow.Reviewing: r.reviewing,
	}
	for {
		s := r.now()
		step, ok := steps[s.Orchestrator.Status]
		if !ok {
			r.tell(Note{Kind: Ended, Text: string(s.Orchestrator.Status)})
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(ctx); err != nil {
			return err
		}
		if r.now().Orchestrator.Status == s.Orchestrator.Status {
			return fmt.Errorf("the workflow stays %s, which must not be", s.Orchestrator.Status)
		}
	}
}

// update changes the state durably. An agent that has removed the file removed no
// more than a file: what it said is known here.
func (r *run) update(what string, fn func(*workflow.State) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.hold.Check(); err != nil {
		return err
	}
	var next *workflow.State
	notes, err := r.file.Update(func(tx *durable.Tx[workflow.State]) error {
		if tx.Doc == nil {
			if r.state == nil {
				return errors.New("there is no workflow")
			}
			was := *r.state
			tx.Doc = &was
		}
		tx.Doc.Elapsed(r.total())
		if err := fn(tx.Doc); err != nil {
			return err
		}
		next = tx.Doc
		tx.Log(what, nil)
		return nil
	})
	for _, n := range notes {
		r.remark("%s", n)
	}
	if err == nil {
		r.state = next
		r.passed(what)
	}
	return err
}

// now is the state as it was written last.
func (r *run) now() *workflow.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// total is how long the workflow was at work, whichever process was at it.
func (r *run) total() time.Duration { return r.had + r.Now().Sub(r.began) }

// elapse writes down how long it took.
func (r *run) elapse() {
	if s := r.now(); s != nil && !s.Orchestrator.Status.Ended() {
		_ = r.update("elapsed", func(*workflow.State) error { return nil }) // the next step writes it, too
	}
}

// pause has the workflow wait for a person.
func (r *run) pause(reason, why, task string) error {
	if err := r.update("paused", func(s *workflow.State) error { s.Pause(reason, why, task, r.Now()); return nil }); err != nil {
		return err
	}
	p := workflow.Pause{Reason: reason, Why: why, Task: task}
	if s := r.now(); s.Paused != nil {
		p = *s.Paused
	}
	r.tell(Note{Kind: Paused, Task: task, Text: p.Why})
	return &PausedError{p}
}

func (r *run) passed(point string) {
	if r.Engine.Passed != nil {
		r.Engine.Passed(point)
	}
}
