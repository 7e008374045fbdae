// Package qualityloop is the body of a loop whose strategy is the gates: it finds
// out what is left to do, has an agent do it, runs the project's quality gates, and
// goes on until they have passed twice in a row with an empty queue. What leads to
// what, and when it is over, is core/workqueue's to say.
//
// Every phase is on record before the next begins, and what an agent answered is
// kept: whatever dies on the way, the next start goes on from there, runs no agent
// again that has answered, and counts no evaluation twice. What a gate says is found
// out by running it, never by asking an agent.
//
// Left to others: the session around it, its bounds, and running agents.
package qualityloop

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/session"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// Kind is the queue's kind of document.
var Kind = durable.Kind[workqueue.Queue]{Name: workqueue.Name, Version: workqueue.Version, Validate: workqueue.Validate}

// Lease is held by the one quality loop of a project.
const Lease = "quality-loop"

// Options is what a loop needs.
type Options struct {
	Store   *durable.Store
	Root    string // the work tree
	Session string // its name
	Stage   string // of the session; "": it is the only one
	Task    string
	// Agents is who runs the tasks of a named agent; "": of the configured.
	Agents       func(name string) (session.Agents, error)
	Agent, Model string
	Progress     string // the path of the progress file, as agents are told
	// Gates are what the project's kind asks for; nil: Detect finds them.
	// Configured ones are run instead of those that have the same name, or
	// besides; one without a command turns the other off.
	Gates, Configured []Gate
	Environ           []string // of the gates; nil: our own
	// Secrets finds secrets in a text; nil: they are not looked for.
	Secrets func(text string) []string
	Redact  func(string) string
	// PauseOn stops for a person at open items that are at least so urgent;
	// "": at none.
	PauseOn workqueue.Priority
	Reset   bool // begin with an empty queue, and keep the old one beside
	Most    int  // iterations of the session; 0: workqueue.MaxIterations
	Tell    func(session.Note)
	Passed  func(point string) // for tests of crashes
	Now     func() time.Time
	PID     int
	Host    string
}

// Loop is a quality loop that is under way. It is used by one goroutine.
type Loop struct {
	Options
	doc    *durable.Doc[workqueue.Queue]
	hold   *durable.Lease // nil: the session's own lease is it
	beat   context.CancelFunc
	me     durable.Process
	gates  []Gate
	print  *git.Printer // nil: there is no repository
	tree   git.Root
	q      *workqueue.Queue
	m      marker
	it     session.Iteration
	looked bool // at the gates and errors, since this start
	diff   *diff
}

// New takes the project's lease and finds its gates. The caller closes the loop.
// The error is a *durable.LockedError while another quality loop runs.
func New(o Options) (*Loop, error) {
	b := &Loop{Options: o, doc: durable.Open(o.Store, workqueue.File, Kind), beat: func() {}}
	if b.Redact == nil {
		b.Redact = func(s string) string { return s }
	}
	if o.Gates == nil {
		o.Gates = Detect(o.Root)
	}
	b.gates = assemble(o.Gates, o.Configured)
	var err error
	b.print, err = git.NewPrinter(o.Root, ".claude")
	if err == nil {
		b.tree, err = git.Repo{Dir: o.Root}.Root()
	}
	if errors.Is(err, git.ErrNotRepo) {
		b.print, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	stamp, _ := proc.Started(o.PID)
	b.me = durable.Process{PID: o.PID, Stamp: stamp, Host: o.Host}
	if o.Session == Lease {
		return b, nil // whose lease keeps all others away already
	}
	hold, old, err := o.Store.Acquire(Lease, b.me, proc.Started)
	if err != nil {
		return nil, err
	}
	if old != nil {
		b.remark("the lock of the quality loop of process %d, which is gone, was taken over", old.PID)
	}
	b.keep(hold)
	return b, nil
}

// keep gives signs of life for a lease; that it was lost is noticed before the
// next write.
func (b *Loop) keep(hold *durable.Lease) {
	b.beat()
	beating, enough := context.WithCancel(context.Background())
	b.hold, b.beat = hold, enough
	go func() { _ = hold.Keep(beating) }()
}

// Close gives the lease back.
func (b *Loop) Close() error {
	b.beat()
	if b.hold == nil {
		return nil
	}
	err := b.hold.Release()
	b.hold = nil
	if errors.Is(err, durable.ErrLeaseLost) {
		return nil
	}
	return err
}

// held makes sure that the project is still ours. An agent may have removed the
// lock file, which is not the same as somebody else having it.
func (b *Loop) held() error {
	if b.hold == nil {
		return nil
	}
	err := b.hold.Check()
	if !errors.Is(err, durable.ErrLeaseLost) {
		return err
	}
	hold, old, again := b.Store.Acquire(Lease, b.me, proc.Started)
	if again != nil {
		return err
	}
	if old != nil {
		return errors.Join(err, hold.Release())
	}
	b.keep(hold)
	return nil
}

// update changes the queue, which people change too: whatever was decided before
// is decided again on the queue as it is. One that an agent has removed is put
// back.
func (b *Loop) update(what string, fn func(*workqueue.Queue) error) error {
	if err := b.held(); err != nil {
		return err
	}
	var next *workqueue.Queue
	notes, err := b.doc.Update(func(tx *durable.Tx[workqueue.Queue]) error {
		if tx.Doc == nil {
			was := workqueue.Queue{}
			if b.q != nil {
				was = *b.q
			}
			tx.Doc = &was
		}
		if err := fn(tx.Doc); err != nil {
			return err
		}
		next = tx.Doc
		tx.Log(what, nil)
		return nil
	})
	for _, n := range notes {
		b.remark("%s", n)
	}
	if err != nil {
		return fmt.Errorf("keeping the work queue: %w", err)
	}
	b.q = next
	return nil
}

// show writes LOOP_STATE.md.
func (b *Loop) show() error {
	text := b.q.Markdown()
	err := b.Store.EditFile(workqueue.StateFile, func([]byte) ([]byte, error) { return []byte(text), nil })
	if err != nil {
		return fmt.Errorf("writing LOOP_STATE.md: %w", err)
	}
	return nil
}

func (b *Loop) path(name string) string {
	return filepath.Join(b.Store.Dir(), filepath.FromSlash(name))
}

func (b *Loop) passed(point string) {
	if b.Passed != nil {
		b.Passed(point)
	}
}

func (b *Loop) tell(n session.Note) {
	if b.Tell != nil {
		n.At, n.Session, n.Stage, n.Iteration = b.Now(), b.Session, b.Stage, b.it.Number
		b.Tell(n)
	}
}

func (b *Loop) remark(format string, args ...any) {
	b.tell(session.Note{Kind: session.Remark, Text: fmt.Sprintf(format, args...)})
}
