// Package session runs sessions: loops and pipelines of loops, each iteration an
// agent with a fresh context. What may happen is core/session's to say, what is to
// be run core/pipeline's. Here it is done, so that whatever dies on the way, the
// next start goes on where it was: an iteration that was recorded is never run
// again, and one whose agent had answered is recorded from what it answered.
//
// One mechanism runs them all: a loop is a pipeline of one stage, and the members
// of a parallel stage are stages. Deciding what the quality gates say, and storing
// queues, is left to others.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// Agents run tasks; agent.Runner is one.
type Agents interface {
	Run(ctx context.Context, t agent.Task) (agent.Result, error)
}

// Item is one thing that a queue has to be done.
type Item struct{ ID, Title, Text string }

// Queue is where work comes from.
type Queue interface {
	// Ready lists what can be begun, the most urgent first, and how much
	// there is that cannot.
	Ready(ctx context.Context) (ready []Item, held int, err error)
	Claim(ctx context.Context, id string) error
	// Release gives back what was claimed and is not done.
	Release(ctx context.Context, id string) error
	Close(ctx context.Context, id, why string) error
}

// Finder is a queue that takes what agents come across.
type Finder interface {
	Add(ctx context.Context, titles []string) error
}

// Engine runs sessions of one project.
type Engine struct {
	Store *durable.Store
	Root  string // the work tree
	// Agents is who runs the tasks of a named agent; "": of the configured.
	Agents func(name string) (Agents, error)
	// Queue opens the queue of a strategy.
	Queue func(session.Until) (Queue, error)
	// Gates is the body of stages whose strategy is the gates.
	Gates func(GatesStage) (Body, error)
	// Verify is how the project is verified, "" when nobody knows.
	Verify string
	Redact func(string) string
	Tell   func(Note)
	Passed func(point string) // for tests of crashes
	Now    func() time.Time
	PID    int
	Host   string
}

// Job is a session to be run.
type Job struct {
	Name string
	Plan *pipeline.Pipeline
	Loop bool // it is one stage, and has no folder of its own for it
	Task string
	// Files are kept in the session's folder, so that it can be gone on with.
	Files map[string][]byte
	// More is how many further iterations a stage has that was under way; 0: as
	// the plan says.
	More int
	// Goes says that a session of this name is to be gone on with.
	Goes bool
}

// GatesStage is a stage that goes on until the quality gates pass.
type GatesStage struct {
	Session, Name string // Name is the stage's; "" in a loop
	Task          string
	Agent, Model  string
	Progress      string // the path of its progress file
	Most          int    // iterations
}

// NothingError says that a loop has nothing to do: its queue is empty.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// ErrPaused says that a session was paused: it goes on when a person says so.
var ErrPaused = errors.New("the session is paused")

// run is a session that is under way.
type run struct {
	*Engine
	Job
	units    []unit
	hold     *durable.Lease
	beat     func(*durable.Lease)
	me       durable.Process
	print    *git.Printer      // nil: there is no repository
	tried    map[string]int    // items, and how often each was given to an agent
	settings map[string][]byte // as they were
	// written are the progress files as they were written last.
	written sync.Map

	mu    sync.Mutex
	doc   *durable.Doc[session.State]
	state *session.State // as it was written last
}

// Kind is how the document is kept.
func Kind(name string) durable.Kind[session.State] {
	return durable.Kind[session.State]{Name: session.Name(name), Version: session.Version, Validate: session.Validate}
}

// Open names the document of a session.
func Open(store *durable.Store, name string) *durable.Doc[session.State] {
	return durable.Open(store, session.File(name), Kind(name))
}

// Run takes a session to its end and returns it as it is then. The error says
// that it could not be taken there: a person stopped or paused it, or something
// is wrong with the machine.
func (e *Engine) Run(ctx context.Context, j Job) (*session.State, error) {
	if err := session.CheckName(j.Name); err != nil {
		return nil, err
	}
	r := &run{Engine: e, Job: j, units: expand(j.Plan), doc: Open(e.Store, j.Name), tried: map[string]int{}, settings: map[string][]byte{}}
	for _, name := range settings {
		if text, err := os.ReadFile(r.path(name)); err == nil {
			r.settings[name] = text
		}
	}
	stamp, _ := proc.Started(e.PID)
	r.me = durable.Process{PID: e.PID, Stamp: stamp, Host: e.Host}
	var hold *durable.Lease
	var old *durable.LeaseFile
	if err := patiently(func() (err error) { hold, old, err = e.Store.Acquire(j.Name, r.me, proc.Started); return err }); err != nil {
		return nil, err
	}
	r.hold = hold
	defer func() { _ = r.hold.Release() }()
	switch {
	case old == nil:
	case old.PID == 0:
		r.remark("a damaged lock was taken over")
	default:
		r.remark("the lock of process %d, which is gone, was taken over", old.PID)
	}
	beating, enough := context.WithCancel(context.WithoutCancel(ctx))
	defer enough()
	r.beat = func(l *durable.Lease) { go func() { _ = l.Keep(beating) }() } // a lost lease is noticed before the next write
	r.beat(hold)
	var err error
	if r.print, err = git.NewPrinter(e.Root, ".claude"); err != nil {
		if !errors.Is(err, git.ErrNotRepo) {
			return nil, err
		}
		r.remark("there is no git repository here: what an agent says it changed cannot be checked")
		r.print = nil
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	err = r.stages(ctx)
	switch {
	case errors.Is(err, ErrPaused):
		return r.state, err
	case ctx.Err() != nil:
		stop := r.update("stopped", func(s *session.State) error { return s.End(session.ReasonStopped, "it was stopped", e.Now()) })
		r.tell(Note{Kind: Ended, Reason: session.ReasonStopped})
		return r.state, errors.Join(ctx.Err(), stop)
	case err != nil:
		return r.state, err
	}
	if err := r.update("ended", func(s *session.State) error { return s.End("", "", e.Now()) }); err != nil {
		return r.state, err
	}
	r.passed("session_ended")
	r.tell(Note{Kind: Ended, Text: r.state.Why, Reason: *r.state.CompletionReason})
	return r.state, nil
}

// update changes the session's document. An agent that has removed it removed no
// more than a file: what it said is known here.
func (r *run) update(what string, fn func(*session.State) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.held(); err != nil {
		return err
	}
	var next *session.State
	var notes []string
	err := patiently(func() (err error) {
		notes, err = r.doc.Update(func(tx *durable.Tx[session.State]) error {
			if tx.Doc == nil {
				if r.state == nil {
					return fmt.Errorf("there is no session %s", r.Name)
				}
				was := *r.state
				tx.Doc = &was
			}
			if err := fn(tx.Doc); err != nil {
				return err
			}
			next = tx.Doc
			tx.Log(what, nil)
			return nil
		})
		return err
	})
	for _, n := range notes {
		r.remark("%s", n)
	}
	if err == nil {
		r.state = next
	}
	return err
}

// patience is how often a busy store is waited for. One that many sessions write
// to at once is busy for longer than a person would wait.
const patience = 30

func patiently(do func() error) (err error) {
	for range patience {
		err = do()
		if locked := (*durable.LockedError)(nil); !errors.As(err, &locked) || locked.PID != 0 {
			break
		}
	}
	return err
}

// held makes sure that the name is still ours. An agent may have removed the lock
// file, which is not the same as somebody else having it.
func (r *run) held() error {
	err := r.hold.Check()
	if !errors.Is(err, durable.ErrLeaseLost) {
		return err
	}
	hold, old, again := r.Store.Acquire(r.Name, r.me, proc.Started)
	if again != nil {
		return err
	}
	if old != nil {
		return errors.Join(err, hold.Release())
	}
	r.hold = hold
	r.beat(hold)
	r.remark("the session's lock file was removed while it ran; it is there again")
	return nil
}

func (r *run) passed(point string) {
	if r.Engine.Passed != nil {
		r.Engine.Passed(point)
	}
}
