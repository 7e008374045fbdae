// Package quality is the body of a loop whose strategy is the gates: it determines what is left to
// do, has an agent do it, runs the project's quality gates, and continues until they have passed
// twice in a row with an empty queue. core/workqueue decides what leads to what, and when it is
// over.
//
// Every phase is recorded before the next begins, and agents' answers are saved: whatever dies, the
// next start resumes from there, asks no agent twice, and counts no evaluation twice. A gate's
// result comes from running it, never from an agent.
//
// A gate counts only while the loop has not weakened the tests: that is the gate "integrity".
//
// Other packages provide the session around it, its limits, and running agents.
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

// Options are what a loop needs besides its stage.
type Options struct {
	Store *durable.Store
	Root  string // the work tree
	// Gates are the project's gates; nil: detected from its files. Configured ones replace those
	// with the same name, or are added; one without a command turns the other off.
	Gates, Configured  []Gate
	judge.CommandSetup               // how they run
	Leaks              *leak.Scanner // finds secrets; nil: no scan
	Redact             func(string) string
	// PauseOn pauses for a person at open items that are at least this urgent; "": never.
	PauseOn workqueue.Priority
	Reset   bool // start with an empty queue, and keep a copy of the old one
	Tell    func(session.Note)
	Passed  func(point string) // for crash tests; may be nil
	Now     func() time.Time
	Process step.Process
}

// setup is what all parts of a loop share.
type setup struct {
	Options
	session.GatesStage
	number int // of the session's iteration
}

// Loop is a quality loop in progress. It is not safe for concurrent use.
type Loop struct {
	*setup
	check  *checker
	close  func()
	doc    *step.Document[workqueue.Queue]
	known  *step.Memory
	m      marker
	looked bool // gates and errors were refreshed since this start
}

// New takes the project's lease. The caller closes the loop. The error is a *durable.LockedError
// while another quality loop runs.
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
		return b, nil // its lease already keeps all others away
	}
	lease, err := step.Acquire(ctx, o.Store, loopLease, o.Process, s.remark)
	if err != nil {
		return nil, err
	}
	b.close, b.doc.Lease = sync.OnceFunc(lease.Release), lease
	return b, nil
}

// Close releases the lease.
func (b *Loop) Close() error {
	b.close()
	return nil
}

// queue returns the queue as last written.
func (b *Loop) queue() *workqueue.Queue { return b.doc.Now() }

// update changes the queue, which people change too: decisions are made on the queue as it is now.
func (b *Loop) update(what string, fn func(*workqueue.Queue) error) error {
	if err := b.doc.Update(what, fn); err != nil {
		return fmt.Errorf("keeping the work queue: %w", err)
	}
	return nil
}

// writeState writes LOOP_STATE.md, and announces the phase.
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
