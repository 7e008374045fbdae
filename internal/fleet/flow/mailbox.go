package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// mailbox is how a workflow hears and tells: one goroutine takes all signals, what is sent
// is counted, and nothing is lost when the workflow begins a new history.
type mailbox struct {
	selector workflow.Selector
	changed  bool // something was heard since the last look
	pending  int  // signals and children on their way
}

func newMailbox(ctx workflow.Context) *mailbox {
	return &mailbox{selector: workflow.NewSelector(ctx)}
}

// on has a signal handled. Handlers must not wait.
func on[T any](ctx workflow.Context, b *mailbox, name string, handle func(workflow.Context, T)) {
	b.selector.AddReceive(workflow.GetSignalChannel(ctx, name), func(c workflow.ReceiveChannel, _ bool) {
		var v T
		if c.ReceiveAsync(&v) { // one that cannot be read is logged by the SDK, and dropped
			handle(ctx, v)
			b.changed = true
		}
	})
}

// listen takes signals from now on.
func (b *mailbox) listen(ctx workflow.Context) {
	workflow.Go(ctx, func(ctx workflow.Context) {
		for ctx.Err() == nil {
			b.selector.Select(ctx)
		}
	})
}

// await waits until something has happened.
func (b *mailbox) await(ctx workflow.Context) error {
	err := workflow.Await(ctx, func() bool { return b.changed })
	b.changed = false
	return err
}

// signal tells another workflow; then hears whether it could be told.
func (b *mailbox) signal(ctx workflow.Context, id, name string, v any, then func(error)) {
	b.follow(ctx, workflow.SignalExternalWorkflow(ctx, id, "", name, v), then)
}

// follow waits for a future beside everything else.
func (b *mailbox) follow(ctx workflow.Context, f workflow.Future, then func(error)) {
	b.pending++
	workflow.Go(ctx, func(ctx workflow.Context) {
		err := f.Get(ctx, nil)
		b.pending--
		if then != nil {
			then(err)
		}
		b.changed = true
	})
}

// isLong tells whether the history has grown so that a new one should begin.
func (b *mailbox) isLong(ctx workflow.Context, t Terms) bool {
	info := workflow.GetInfo(ctx)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > t.Events
}

// flush waits until all that was sent has arrived, and hears what has come.
func (b *mailbox) flush(ctx workflow.Context) error {
	err := workflow.Await(ctx, func() bool { return b.pending == 0 })
	for b.selector.HasPending() {
		b.selector.Select(ctx)
	}
	return err
}

// letListen lets the goroutine that listens handle what it has. A signal that it was just
// handed is in no channel any more, and was lost with the history (a worker was assigned,
// and the requirement waited for one for ever).
func (b *mailbox) letListen(ctx workflow.Context) error {
	ran := false
	workflow.Go(ctx, func(workflow.Context) { ran = true }) // after those that began before it
	return workflow.Await(ctx, func() bool { return ran })
}

// continueAsNew begins a new history with the state as it is once nothing is on its way.
func (b *mailbox) continueAsNew(ctx workflow.Context, name string, state func() any) error {
	for {
		err := b.flush(ctx)
		if err == nil && workflow.GetVersion(ctx, "nothing-heard-is-lost", workflow.DefaultVersion, 1) >= 1 {
			err = b.letListen(ctx)
		}
		if err != nil {
			return err
		}
		if b.pending == 0 { // what was heard last may have sent something
			return workflow.NewContinueAsNewError(ctx, name, state())
		}
	}
}

// alarm fires once, at the earliest time that was set.
type alarm struct {
	on     bool
	at     time.Time
	serial int
}

func (a *alarm) set(ctx workflow.Context, at time.Time, fire func()) {
	if a.on && !at.Before(a.at) {
		return
	}
	a.on, a.at = true, at
	a.serial++
	serial := a.serial
	workflow.Go(ctx, func(ctx workflow.Context) {
		if err := workflow.Sleep(ctx, at.Sub(workflow.Now(ctx))); err == nil && serial == a.serial {
			a.on = false
			fire()
		}
	})
}
