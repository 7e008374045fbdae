package step

import (
	"context"
	"errors"

	"warp/internal/durable"
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
	l.Live = newLive(store, name, l.me)
	l.keep(l.hold)
	return l, nil
}

// WhileFree runs do while a lease name is free, and keeps others from taking it. It skips a name
// that is taken, without an error.
func WhileFree(store *durable.Store, name string, me Process, do func() error) error {
	hold, _, err := store.Acquire(name, me.Holder(), proc.Started)
	var locked *durable.LockedError
	if errors.As(err, &locked) {
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
