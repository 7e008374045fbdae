// Package session runs sessions: loops and pipelines of loops, each iteration an
// agent with a fresh context. What may happen is core/session's to say, what is to
// be run core/pipeline's; here is when to take the next step. Each run of an agent
// is a step of package step: protected, bounded and recorded there.
//
// Whatever dies on the way, the next start continues where it was: an iteration
// that was recorded is never run again, and one whose agent had answered is
// recorded from what it answered. What an iteration commits is what its agent
// changed, and nothing of a person's.
//
// One mechanism runs them all: a loop is a pipeline of one stage, and the members
// of a parallel stage are stages. Deciding what the quality gates say, and storing
// queues, is left to others.
package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// Agents run tasks; agent.Runner is one.
type Agents = step.Agents

// Item is one thing that a queue has to be done.
type Item struct{ ID, Title, Text string }

// Queue is where work comes from. One that is also a guard.Document is repaired
// when an agent writes it.
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
	Home  *durable.Store // where evidence is kept; nil: Store
	Root  string         // the work tree
	Level int            // 3: what has met its goal is merged
	State string         // the user's state folder, for copies; "": git's own folder
	// Agents runs the tasks of a named agent; "": of the configured one.
	Agents func(name string) (Agents, error)
	// Queue opens the queue of a strategy.
	Queue func(session.Until) (Queue, error)
	// Gates is the body of stages whose strategy is the gates.
	Gates   func(GatesStage) (Body, error)
	Checks  Checks
	Limits  Limits
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for tests of crashes
	Now     func() time.Time
	Process step.Process
}

// Checks are how work is checked.
type Checks struct {
	Verify    string          // how the project is verified; "": not known
	Environ   []string        // of commands
	Integrity judge.Integrity // nil: judge.ReadTests
}

// Limits are those of the settings, which hold for all sessions.
type Limits struct {
	Idle time.Duration // that an agent may be silent; 0: no bound
	// Used says which budget beyond the session, such as the day's, is used up.
	Used func(ctx context.Context) (why string, err error)
}

// Job is a session to be run.
type Job struct {
	Name string
	Plan *pipeline.Pipeline
	Loop bool // it is one stage, and has no folder of its own for it
	Task string
	// Files are kept in the session's folder, so that it can be resumed.
	Files map[string][]byte
	// More is how many further iterations a stage has that was under way; 0: as
	// the plan says.
	More int
	// Limit replaces the bounds of the plan, member by member.
	Limit budget.Amount
	Anew  bool // Files are written again: a resumed session has new bounds
	// Goes says that a session of this name is to be resumed.
	Goes bool
}

// GatesStage is a stage that iterates until the quality gates pass.
type GatesStage struct {
	Session, Name string // Name is the stage's; "" in a loop
	Task          string
	Agent, Model  string
	Progress      string // the path of its progress file
	Most          int    // iterations
	// Ask takes a step of the iteration that is under way.
	Ask   func(ctx context.Context, known *step.Memory, s step.Step) (step.Answer, error)
	Guard *guard.Guard // nil: there is no repository
	Base  string       // the work tree before the loop, as a tree
	// TimeLeft is how long a command may take; 0: no bound. The error says that
	// the time is up.
	TimeLeft func() (time.Duration, error)
	Lease    *step.Lease // the session's
}

// NothingError says that a loop has nothing to do: its queue is empty.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// ErrPaused says that a session was paused: it is resumed when a person says so.
var ErrPaused = errors.New("the session is paused")

// run is a session that is under way.
type run struct {
	*Engine
	Job
	*files
	*shield
	*purse
	lease *step.Lease
	doc   *step.Document[session.State]
	home  *durable.Store // where evidence is kept

	mu      sync.Mutex
	tried   map[string]int     // items, and how often each was given to an agent
	stopped *step.StoppedError // why a person has to look
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
// that it could not be taken there: a person stopped or paused it or has to look
// (*step.StoppedError), or something is wrong with the machine.
func (e *Engine) Run(ctx context.Context, j Job) (*session.State, error) {
	if err := session.CheckName(j.Name); err != nil {
		return nil, err
	}
	r := &run{Engine: e, Job: j, tried: map[string]int{}, home: cmp.Or(e.Home, e.Store)}
	r.files = &files{store: e.Store, name: j.Name, loop: j.Loop, units: expand(j.Plan), verify: e.Checks.Verify}
	lease, err := step.Acquire(ctx, e.Store, j.Name, e.Process, r.remark)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	r.lease = lease
	r.doc = &step.Document[session.State]{Doc: Open(e.Store, j.Name), Lease: lease, Remark: r.remark, Passed: r.passed}
	r.purse = newPurse(e, j, r.doc)
	if err := r.protect(ctx); err != nil {
		return nil, err
	}
	free, err := r.reserveBranches(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	if err := r.enterBranch(ctx); err != nil {
		return nil, err
	}
	r.doc.Alone = true
	if slices.ContainsFunc(r.units, func(u unit) bool { return u.stage.Commit || len(u.stage.Verify) > 0 }) {
		if _, err := r.base(ctx, 0); err != nil { // what all stages are held against
			return nil, err
		}
	}
	return r.finish(ctx, r.stages(ctx))
}

// finish ends the session, as its stages and the error say.
func (r *run) finish(ctx context.Context, err error) (*session.State, error) {
	switch {
	case errors.Is(err, ErrPaused):
		return r.doc.Now(), err
	case ctx.Err() != nil:
		left := r.leaveBranch(ctx, r.doc.Now())
		stop := r.doc.Update("stopped", func(s *session.State) error { return s.End(session.ReasonStopped, "it was stopped", r.Now()) })
		r.tell(Note{Kind: Ended, Reason: session.ReasonStopped})
		return r.doc.Now(), errors.Join(ctx.Err(), left, stop)
	case err != nil:
		return r.doc.Now(), err
	}
	for i := range r.units {
		r.forget(i)
	}
	if r.units[0].member == nil {
		if err := r.dropBase(ctx, 0); err != nil {
			return r.doc.Now(), err
		}
	}
	if err := r.leaveBranch(ctx, r.doc.Now()); err != nil {
		return r.doc.Now(), err
	}
	if err := r.doc.Update("session_ended", func(s *session.State) error { return s.End("", "", r.Now()) }); err != nil {
		return r.doc.Now(), err
	}
	r.shield.clear()
	s := r.doc.Now()
	r.tell(Note{Kind: Ended, Text: s.Why, Reason: *s.CompletionReason})
	if r.stopped != nil {
		return s, r.stopped
	}
	return s, nil
}

// Unmet tells whether a loop of the session had as many iterations as it may, and
// did not reach the end that its strategy wants.
func (j Job) Unmet(s *session.State) bool {
	for i, u := range expand(j.Plan) {
		st, err := s.Stage(i)
		until, bad := session.ParseUntil(u.stage.Until)
		if err == nil && bad == nil && u.gathers == nil && st.Reason == session.ReasonMaxIterations && until.Kind != session.Fixed {
			return true
		}
	}
	return false
}

func (r *run) passed(point string) {
	if r.Engine.Passed != nil {
		r.Engine.Passed(point)
	}
}
