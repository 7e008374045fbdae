package flow

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// running returns the item of a report; nil if the report is late.
func (f *fleet) running(r news) *Item {
	i := f.items.find(r.Requirement)
	if i == nil || i.Attempt > r.Attempt {
		return nil
	}
	i.Spent, i.Attempt = r.Spent, r.Attempt // a restarted fleet learns the attempt
	return i
}

func (f *fleet) ended(ctx workflow.Context, r news) {
	i := f.running(r)
	if i == nil || r.Outcome == nil || i.State == Done {
		return
	}
	account := i.Account
	i.leaveWorker(ctx, Parked, r.Outcome.Why)
	i.Outcome, i.Alive = shorten(*r.Outcome), false
	switch evidence.Result(r.Outcome.Result) {
	case evidence.Merged:
		i.State = Done
		f.Merged++
		f.queue.Merge(r.Requirement)
		f.queue.Works(account)
		f.items.forget(f.queue.IsMerged)
	case evidence.Pull: // dependants wait until it is merged
		i.State = Done
		f.queue.Park(r.Requirement)
		f.queue.Works(account)
	default:
		f.queue.Park(r.Requirement)
	}
}

// shorten bounds the texts of an outcome; the workflow's result keeps them in full.
func shorten(o conduct.Outcome) *conduct.Outcome {
	o.Why, o.Do, o.Limited = text.ClipRunes(o.Why, mostWhy), text.ClipRunes(o.Do, mostWhy), nil
	return &o
}

// leaveWorker takes an item off its worker.
func (i *Item) leaveWorker(ctx workflow.Context, s State, why string) {
	i.State, i.Why, i.Worker, i.Account, i.Resting, i.Since = s, text.ClipRunes(why, mostWhy), "", "", false, workflow.Now(ctx)
}

// park makes an item wait for a person.
func (f *fleet) park(ctx workflow.Context, i *Item, why string) {
	f.queue.Park(i.ID())
	i.leaveWorker(ctx, Parked, why)
}

func (f *fleet) lost(ctx workflow.Context, r news) {
	i := f.running(r)
	if i == nil || i.State != Runs {
		return
	}
	for n := range f.Machines {
		if r.Missed && f.Machines[n].Name == i.Worker {
			f.Machines[n].Missed = workflow.Now(ctx)
		}
	}
	f.queue.Return(r.Requirement)
	i.leaveWorker(ctx, Waits, r.Why)
	if i.Paused {
		f.queue.Park(r.Requirement)
	}
}

func (f *fleet) limited(ctx workflow.Context, r news) {
	i := f.running(r)
	if i == nil || i.State != Runs {
		return
	}
	until := time.Time{}
	if r.Outcome != nil && r.Outcome.Limited != nil {
		until, _ = time.Parse(time.RFC3339, r.Outcome.Limited.Until) // if unknown, the queue backs off
	}
	f.queue.Limit(i.Account, until, workflow.Now(ctx))
	f.lost(ctx, r)
}

func (f *fleet) rest(_ workflow.Context, r news) {
	i := f.items.find(r.Requirement)
	if i == nil || i.Attempt != r.Attempt || i.State != Runs {
		return
	}
	i.Resting = !r.Works
	if r.Works {
		f.queue.Wake(r.Requirement, i.Account)
	} else {
		f.queue.Rest(r.Requirement)
	}
}

func (f *fleet) drain(ctx workflow.Context, d Drained) {
	for n := range f.Machines {
		if f.Machines[n].Name == d.Worker {
			f.Machines[n].Draining = !d.Back
		}
	}
	for _, i := range f.Items {
		if i.State == Runs && i.Worker == d.Worker && !d.Back {
			f.box.signal(ctx, f.idOf(i.Submission), Leave, d.Worker, nil)
		}
	}
}

func (f *fleet) pause(ctx workflow.Context, o Order) {
	if o.Requirement == "" {
		f.Paused = cmp.Or(o.By, "a person")
	}
	for n := range f.Items {
		i := &f.Items[n]
		switch {
		case o.Requirement != "" && i.ID() != o.Requirement || i.State != Waits && i.State != Runs:
			continue
		case o.Requirement != "" && !i.Paused:
			i.Paused = true
			if i.State == Waits {
				f.queue.Park(i.ID())
			}
		}
		f.pass(ctx, i, Pause, o)
	}
}

func (f *fleet) unpause(ctx workflow.Context, o Order) {
	if o.Requirement == "" {
		f.Paused = ""
	}
	for n := range f.Items {
		i := &f.Items[n]
		if o.Requirement != "" && i.ID() != o.Requirement || o.Requirement == "" && i.Paused || i.State != Waits && i.State != Runs {
			continue
		}
		if i.Paused && i.State == Waits {
			f.queue.Return(i.ID())
		}
		i.Paused = false
		f.pass(ctx, i, Unpause, o)
	}
}

func (f *fleet) stop(ctx workflow.Context, o Order) {
	i := f.items.find(o.Requirement)
	if i == nil || i.State != Waits && i.State != Runs {
		return
	}
	i.Paused, i.Stopped = false, true
	if !i.Alive {
		f.park(ctx, i, stoppedBy(o.By))
		return
	}
	if i.State == Waits { // its workflow ends without another worker
		f.queue.Park(i.ID())
	}
	f.pass(ctx, i, Stop, o)
}

// pass forwards an order to a requirement's workflow. If that is gone, the item is parked for a
// person.
func (f *fleet) pass(ctx workflow.Context, i *Item, signal string, o Order) {
	if !i.Alive {
		return
	}
	id, attempt := i.ID(), i.Attempt
	f.box.signal(ctx, f.idOf(i.Submission), signal, o, func(err error) { f.checkGone(ctx, id, attempt, err) })
}

// checkGone parks an item whose workflow is gone without having reported an outcome.
func (f *fleet) checkGone(ctx workflow.Context, id string, attempt int, err error) {
	i := f.items.find(id)
	if err == nil || i == nil || !i.Alive || i.Attempt != attempt {
		return
	}
	i.Alive = false
	f.park(ctx, i, "its workflow ended without reporting an outcome: "+err.Error())
}
