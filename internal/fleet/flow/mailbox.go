package flow

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// mailbox receives and sends a workflow's signals. One goroutine takes all signals, and sends are
// counted, so that none is lost when the workflow begins a new history.
type mailbox struct {
	selector workflow.Selector
	changed  bool // something arrived since the last check
	pending  int  // signals and child starts in flight
}

func newMailbox(ctx workflow.Context) *mailbox {
	return &mailbox{selector: workflow.NewSelector(ctx)}
}

// on registers the handler of a signal. Handlers must not block.
func on[T any](ctx workflow.Context, b *mailbox, name string, handle func(workflow.Context, T)) {
	b.selector.AddReceive(workflow.GetSignalChannel(ctx, name), func(c workflow.ReceiveChannel, _ bool) {
		var v T
		if c.ReceiveAsync(&v) { // the SDK logs and drops a signal that it cannot decode
			handle(ctx, v)
			b.changed = true
		}
	})
}

// listen starts to take signals.
func (b *mailbox) listen(ctx workflow.Context) {
	workflow.Go(ctx, func(ctx workflow.Context) {
		for ctx.Err() == nil {
			b.selector.Select(ctx)
		}
	})
}

// run decides whenever something has happened, and acts at every tick. Once the history is long,
// it begins a new one with the state.
func (b *mailbox) run(ctx workflow.Context, flow string, t Terms, tick, decide func(), state func() any) error {
	var next alarm
	for {
		next.set(ctx, workflow.Now(ctx).Add(t.Tick), tick)
		decide()
		if b.isLong(ctx, t) {
			return b.continueAsNew(ctx, flow, state)
		}
		if err := workflow.Await(ctx, func() bool { return b.changed }); err != nil {
			return err
		}
		b.changed = false
	}
}

// signal sends to another workflow and calls then with the result.
func (b *mailbox) signal(ctx workflow.Context, id, name string, v any, then func(error)) {
	b.follow(ctx, workflow.SignalExternalWorkflow(ctx, id, "", name, v), then)
}

// follow waits for a future in the background.
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

// isLong reports whether the history is long enough to begin a new one.
func (b *mailbox) isLong(ctx workflow.Context, t Terms) bool {
	info := workflow.GetInfo(ctx)
	return info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > t.Events
}

// flush waits until all sends have arrived, and handles the signals received.
func (b *mailbox) flush(ctx workflow.Context) error {
	err := workflow.Await(ctx, func() bool { return b.pending == 0 })
	for b.selector.HasPending() {
		b.selector.Select(ctx)
	}
	return err
}

// letListen lets the listening goroutine finish. A signal just handed to it is in no channel any
// more, and would be lost with the history (a worker was once assigned that way, and the
// requirement waited for one forever).
func (b *mailbox) letListen(ctx workflow.Context) error {
	ran := false
	workflow.Go(ctx, func(workflow.Context) { ran = true }) // runs after those that began before it
	return workflow.Await(ctx, func() bool { return ran })
}

// continueAsNew begins a new history once nothing is in flight.
func (b *mailbox) continueAsNew(ctx workflow.Context, name string, state func() any) error {
	for {
		err := b.flush(ctx)
		if err == nil && workflow.GetVersion(ctx, "nothing-heard-is-lost", workflow.DefaultVersion, 1) >= 1 {
			err = b.letListen(ctx)
		}
		if err != nil {
			return err
		}
		if b.pending == 0 { // the last handler may have sent something
			return workflow.NewContinueAsNewError(ctx, name, state())
		}
	}
}

// alarm fires once, at the earliest time set.
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
