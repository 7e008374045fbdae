package step

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// Process is the process that runs an engine.
type Process struct {
	PID  int
	Host string
}

// Holder returns the process as leases record it.
func (p Process) Holder() durable.Process {
	stamp, _ := proc.Started(p.PID)
	return durable.Process{PID: p.PID, Stamp: stamp, Host: p.Host}
}

// Lease keeps a second engine from using a name (two engines once committed each other's files). An
// agent that removes the lock file does not take the name: it is acquired again.
type Lease struct {
	Live   *Live              // shows what the engine does
	Killed *durable.LeaseFile // the previous holder's lease, if it was killed; else nil
	store  *durable.Store
	name   string
	me     durable.Process
	hold   *durable.Lease
	stop   context.CancelFunc
	beat   context.Context
	remark func(format string, args ...any)
}

// Acquire takes the name, and renews it until it is released. The error is a *durable.LockedError
// while another process has it.
func Acquire(ctx context.Context, store *durable.Store, name string, me Process, remark func(format string, args ...any)) (*Lease, error) {
	l := &Lease{store: store, name: name, me: me.Holder(), remark: remark}
	l.beat, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	err := durable.RetryBusy(func() (err error) { l.hold, l.Killed, err = store.Acquire(name, l.me, proc.Started); return err })
	if err != nil {
		l.stop()
		return nil, err
	}
	if old := l.Killed; old != nil && old.PID == 0 {
		remark("Took over a damaged lock (%s)", name)
	} else if old != nil {
		remark("Took over from process %d, which is gone", old.PID)
	}
	TellTampering(store, remark)
	l.Live = &Live{store: store, state: livestate.State{Name: name, PID: l.me.PID, Stamp: l.me.Stamp}}
	l.keep(l.hold)
	return l, nil
}

// WhileFree runs do while a lease name is free, and keeps others from taking it. It skips a name
// that is taken, without an error.
func WhileFree(store *durable.Store, name string, me Process, do func() error) error {
	hold, _, err := store.Acquire(name, me.Holder(), proc.Started)
	if _, locked := errors.AsType[*durable.LockedError](err); locked {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(do(), hold.Release())
}

// keep renews the lease; a lost one is noticed before the next write.
func (l *Lease) keep(hold *durable.Lease) {
	go func() { _ = hold.Keep(l.beat) }()
}

// Check makes sure that the name is still ours.
func (l *Lease) Check() error {
	err := l.hold.Check()
	if !errors.Is(err, durable.ErrLeaseLost) {
		return err
	}
	hold, old, again := l.store.Acquire(l.name, l.me, proc.Started)
	if again != nil {
		return err
	}
	if old != nil {
		return errors.Join(err, hold.Release())
	}
	l.hold = hold
	l.keep(hold)
	l.remark("The lock file of %s was removed while it ran; it was restored", l.name)
	return nil
}

// Release gives up the name.
func (l *Lease) Release() {
	l.stop()
	l.Live.close()
	_ = l.hold.Release() // a lost one belongs to another process by now
}

// lookAgain is how often a work tree's lock is polled.
const lookAgain = 100 * time.Millisecond

// takeTurn waits for the work tree while the work has time left; why says that it has none.
func (t *Taker) takeTurn(ctx context.Context, left time.Duration) (free func(), why string, err error) {
	waiting := ctx
	if left > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithCancel(ctx)
		defer cancel()
		defer proc.AfterAwake(left, cancel)()
	}
	waited := false
	free, err = TakeTurn(waiting, t.Guard.TurnFile(), "another agent is working in this work tree, and they take turns", func(format string, args ...any) {
		t.Remark(format, args...)
		waited = true
		t.tellWait(agent.Wait{Why: "another agent in this work tree"})
	})
	if waited {
		t.tellWait(agent.Wait{})
	}
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, "its time is up, spent waiting for another agent in this work tree", nil
	}
	return free, "", err
}

// TakeTurn waits for a lock that ends with its process, and remarks why. A work tree's lock
// (guard.TurnFile) admits one agent at a time: simultaneous changes of two agents cannot be told
// apart, and reverting what one may not do would destroy the other's work.
func TakeTurn(ctx context.Context, file, why string, remark func(format string, args ...any)) (free func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		if lock, ok := (durable.OS{}).TryLock(file); ok {
			return func() { _ = lock.Close() }, nil
		}
		if !waited {
			remark("Waiting: %s", why)
		}
		if err := proc.Pause(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// TellTampering reports what is wrong with the journal since an engine last looked: unsigned rows
// of proof, rewritten, removed or moved ones, rows from the future, negative costs. None of them
// counts, but people should know.
func TellTampering(store *durable.Store, remark func(format string, args ...any)) {
	if !store.Signs() {
		return
	}
	var told evidence.Audit
	all := evidence.Audit{Mark: store.Mark()}
	_, err := store.Events(func(r event.Row) bool {
		if r.Kind == event.Audited && r.Standing == event.Signed && r.Data != nil {
			told = evidence.Audit{}
			_ = lossless.Decode(r.Data, &told) // if unreadable, everything is reported again
		}
		all.Take(r, store.Now())
		return true
	})
	if err != nil {
		return // readers of the evidence report it
	}
	words := all.Since(told).Describe()
	for _, w := range words {
		remark("The journal was tampered with, or is not this machine's: %s (warp doctor)", w)
	}
	if len(words) > 0 {
		_ = store.AppendSynced(event.Audited, all) // if that fails, it is reported again
	}
}
