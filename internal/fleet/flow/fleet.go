package flow

import (
	"cmp"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/core/schedule"
)

// FleetState is a fleet: what its workflow is started with, and what it hands on when its
// history has grown long.
type FleetState struct {
	Name, Night string
	Zone        string // of the quiet hours, as IANA calls it; "": UTC
	File        fleetfile.File
	Terms       Terms
	Machines    []Machine // by name
	Queue       schedule.Saved
	Items       []Item // in the order in which they were submitted
	Merged      int    // also those that Items has forgotten
	Paused      string // by whom
}

// Machine is a worker as the fleet knows it.
type Machine struct {
	WorkerInfo
	Seen     time.Time
	Draining bool
	Missed   time.Time `json:",omitzero"` // when it did not take a step, and was not heard of since
}

// State is where an item stands.
type State string

// The states of an item.
const (
	Waits  State = "waits"
	Runs   State = "runs"
	Parked State = "parked"
	Done   State = "done" // merged, or its pull request is open
)

// Item is a requirement as the fleet knows it.
type Item struct {
	Submission
	State           State
	Alive           bool `json:",omitempty"` // its workflow is there, and waits or runs
	Paused          bool `json:",omitempty"`
	Resting         bool `json:",omitempty"` // it waits for the train or an answer
	Worker, Account string
	Attempt         int
	Since           time.Time
	Why             string
	Outcome         *conduct.Outcome `json:",omitempty"`
	Spent           conduct.Spent
}

// Fleet is the workflow that gives work to workers.
func Fleet(ctx workflow.Context, s FleetState) error {
	s.Terms = s.Terms.Complete()
	f := &fleet{FleetState: s, box: newMailbox(ctx), started: map[string]bool{}}
	repos, accounts, _ := f.File.Schedule()
	f.queue = schedule.Restore(repos, accounts, s.Queue)
	if err := workflow.SetQueryHandler(ctx, Status, func() (FleetStatus, error) { return f.status(workflow.Now(ctx)), nil }); err != nil {
		return err
	}
	f.listen(ctx)
	f.ensureServants(ctx)
	for {
		f.tick.set(ctx, workflow.Now(ctx).Add(f.Terms.Tick), func() { f.lookAfter(ctx) })
		f.dispatch(ctx)
		if f.box.isLong(ctx, f.Terms) {
			return f.box.continueAsNew(ctx, FleetFlow, func() any {
				f.Queue = f.queue.Save()
				return f.FleetState
			})
		}
		if err := f.box.await(ctx); err != nil {
			return err
		}
	}
}

type fleet struct {
	FleetState
	box     *mailbox
	queue   *schedule.Queue
	tick    alarm
	wake    alarm
	started map[string]bool   // requirements that this run has started, and hears the end of
	holds   map[string]string // why workers stand still
	quiet   time.Time
}

func (f *fleet) listen(ctx workflow.Context) {
	on(ctx, f.box, Submit, f.submit)
	on(ctx, f.box, Hello, f.hello)
	on(ctx, f.box, Drain, f.drain)
	on(ctx, f.box, Configure, f.configure)
	on(ctx, f.box, NewNight, f.beginNight)
	on(ctx, f.box, Windows, f.noteWindows)
	on(ctx, f.box, Pause, f.pause)
	on(ctx, f.box, Unpause, f.unpause)
	on(ctx, f.box, Stop, f.stop)
	on(ctx, f.box, Ended, f.ended)
	on(ctx, f.box, Lost, f.lost)
	on(ctx, f.box, Limited, f.limited)
	on(ctx, f.box, Rest, f.rest)
	f.box.listen(ctx)
}

// item finds a requirement by repo#issue. What it gives is valid until the next submission.
func (f *fleet) item(id string) *Item {
	if i := slices.IndexFunc(f.Items, func(i Item) bool { return i.ID() == id }); i >= 0 {
		return &f.Items[i]
	}
	return nil
}

func (f *fleet) submit(ctx workflow.Context, list []Submission) {
	for _, s := range list {
		i := f.item(s.ID())
		known := i != nil
		if !known {
			f.Items = append(f.Items, Item{Submission: s, State: Waits, Since: workflow.Now(ctx)})
			i = &f.Items[len(f.Items)-1]
			f.queue.Add(schedule.Requirement{ID: s.ID(), Repo: s.Repo, Priority: s.Priority, Arrived: workflow.Now(ctx), Needs: s.Needs})
			if f.queue.IsMerged(s.ID()) { // so long ago that its item is forgotten
				f.Items = f.Items[:len(f.Items)-1]
				continue
			}
		}
		switch {
		case s.Closed && i.State != Runs:
			f.queue.Merge(s.ID())
			i.State, i.Why = Done, "the tracker has it closed"
		case i.State == Parked, i.State == Done && s.Again && !f.queue.IsMerged(s.ID()):
			i.State, i.Why, i.Outcome, i.Since = Waits, "", nil, workflow.Now(ctx)
			f.queue.Return(s.ID())
		}
	}
	f.forget()
}

// remembered is how many items that are done a fleet keeps; of the others it knows that
// they are merged.
const remembered = 200

func (f *fleet) forget() {
	done := 0
	for _, i := range f.Items {
		if i.State == Done {
			done++
		}
	}
	f.Items = slices.DeleteFunc(f.Items, func(i Item) bool {
		if done <= remembered || i.State != Done || !f.queue.IsMerged(i.ID()) {
			return false
		}
		done--
		return true
	})
}

func (f *fleet) hello(ctx workflow.Context, w WorkerInfo) {
	i, known := slices.BinarySearchFunc(f.Machines, w.Name, func(m Machine, name string) int { return cmp.Compare(m.Name, name) })
	if !known {
		f.Machines = slices.Insert(f.Machines, i, Machine{})
	}
	m := &f.Machines[i]
	m.Draining = known && m.Draining && m.Since.Equal(w.Since)
	m.WorkerInfo, m.Seen, m.Missed = w, workflow.Now(ctx), time.Time{}
}

func (f *fleet) configure(ctx workflow.Context, file fleetfile.File) {
	if len(file.Repositories) == 0 || len(file.Pools) == 0 {
		return // the last good one is kept
	}
	f.File = file
	repos, accounts, _ := file.Schedule()
	f.queue.Configure(repos, accounts)
	f.box.signal(ctx, PurseID(f.Name), Configure, file, nil)
	f.ensureServants(ctx)
}

func (f *fleet) beginNight(ctx workflow.Context, name string) {
	f.Night = name
	f.box.signal(ctx, PurseID(f.Name), NewNight, name, nil)
}

func (f *fleet) noteWindows(_ workflow.Context, a accountWindows) {
	for _, w := range a.Windows {
		f.queue.Use(a.Account, w.Name, w.Percent, w.Reset, windowLengths[w.Name])
	}
}
