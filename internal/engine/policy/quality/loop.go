// Package quality is the body of a loop whose strategy is the gates: it finds
// out what is left to do, has an agent do it, runs the project's quality gates, and
// continues until they have passed twice in a row with an empty queue. What leads
// to what, and when it is over, is core/workqueue's to say.
//
// Every phase is on record before the next begins, and what an agent answered is
// kept: whatever dies on the way, the next start resumes from there, runs no agent
// again that has answered, and counts no evaluation twice. What a gate says is found
// out by running it, never by asking an agent.
//
// A gate counts only while the loop has not made the tests worth less: that is the
// gate "integrity".
//
// Left to others: the session around it, its bounds, and running agents.
package quality

import (
	"context"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/judge"
	"warp/internal/engine/leak"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// loopLease is held by the one quality loop of a project.
const loopLease = "quality-loop"

// Options is what a loop needs besides its stage.
type Options struct {
	Store *durable.Store
	Root  string // the work tree
	// Gates are what the project's kind asks for; nil: as its files tell. Configured ones are
	// run instead of those that have the same name, or besides; one without a
	// command turns the other off.
	Gates, Configured  []Gate
	judge.CommandSetup               // that they are run on
	Leaks              *leak.Scanner // finds secrets; nil: they are not looked for
	Redact             func(string) string
	// PauseOn stops for a person at open items that are at least so urgent;
	// "": at none.
	PauseOn workqueue.Priority
	Reset   bool // begin with an empty queue, and keep the old one beside
	Tell    func(session.Note)
	Passed  func(point string) // for tests of crashes; nil: none are told
	Now     func() time.Time
	Process step.Process
}

// setup is what all parts of a loop know.
type setup struct {
	Options
	session.GatesStage
	number int // of the session's iteration
}

// Loop is a quality loop that is under way. It is used by one goroutine.
type Loop struct {
	*setup
	check  *checker
	close  func()
	doc    *step.Document[workqueue.Queue]
	known  *step.Memory
	m      marker
	looked bool // at the gates and errors, since this start
}

// New takes the project's lease. The caller closes the loop. The error is a
// *durable.LockedError while another quality loop runs.
func New(ctx context.Context, o Options, stage session.GatesStage) (*Loop, error) {
	if o.Passed == nil {
		o.Passed = func(string) {}
	}
	if o.Gates == nil {
		o.Gates = detectGates(o, stage)
	}
	s := &setup{Options: o, GatesStage: stage}
	b := &Loop{setup: s, close: func() {}, check: &checker{setup: s, gates: assemble(o.Gates, o.Configured, stage.Guard != nil)}}
	b.check.fact = func(name string, find func() (string, error)) (string, error) { return b.known.Fact(name, find) }
	b.doc = &step.Document[workqueue.Queue]{Doc: durable.Open(o.Store, workqueue.File, turnstile.QueueKind), Lease: stage.Lease, Remark: s.remark}
	if stage.Session == loopLease {
		return b, nil // whose lease keeps all others away already
	}
	lease, err := step.Acquire(ctx, o.Store, loopLease, o.Process, s.remark)
	if err != nil {
		return nil, err
	}
	b.close, b.doc.Lease = sync.OnceFunc(lease.Release), lease
	return b, nil
}

// Close gives the lease back.
func (b *Loop) Close() error {
	b.close()
	return nil
}

// queue is the queue as it was written last.
func (b *Loop) queue() *workqueue.Queue { return b.doc.Now() }

// update changes the queue, which people change too: whatever was decided before
// is decided again on the queue as it is.
func (b *Loop) update(what string, fn func(*workqueue.Queue) error) error {
	if err := b.doc.Update(what, fn); err != nil {
		return fmt.Errorf("keeping the work queue: %w", err)
	}
	return nil
}

// writeState writes LOOP_STATE.md, and tells the phase.
func (b *Loop) writeState() error {
	b.tell(session.Note{Kind: session.Phased, Text: string(b.queue().Loop.Phase)})
	text := b.queue().Markdown()
	if err := b.Store.EditFile(workqueue.StateFile, func([]byte) ([]byte, error) { return []byte(text), nil }); err != nil {
		return fmt.Errorf("writing LOOP_STATE.md: %w", err)
	}
	return nil
}

func (s *setup) tell(n session.Note) {
	n.At, n.Session, n.Stage, n.Iteration = s.Now(), s.Session, s.Name, s.number
	if s.Lease != nil {
		s.Lease.Live.Set(n.Show)
	}
	s.Tell(n)
}

func (s *setup) remark(format string, args ...any) {
	s.tell(session.Note{Kind: session.Remark, Text: fmt.Sprintf(format, args...)})
}
