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

// FleetState is the state of a fleet: the workflow's input, also for the next run when the history
// has grown long.
type FleetState struct {
	Name, Night string
	// Scope begins the ids of its requirements and trains: the fleet's name, or "" in a fleet with
	// work from before ids were scoped. Mixing both in one fleet would run two trains.
	Scope    string `json:",omitempty"`
	Zone     string // IANA time zone of the quiet hours; "" for UTC
	File     fleetfile.File
	Terms    Terms
	Machines []Machine // sorted by name
	Queue    schedule.Saved
	Items    []Item // in the order of submission
	Merged   int    // including those that Items has forgotten
	Refused  int    `json:",omitempty"` // submissions of this night without room
	Paused   string // who paused it
}

// Machine is a worker as the fleet sees it.
type Machine struct {
	WorkerInfo
	Seen     time.Time
	Draining bool
	Missed   time.Time `json:",omitzero"` // when it last failed to take a step; zero once it says hello
}

// State is the state of an item.
type State string

// The states of an item.
const (
	Waits  State = "waits"
	Runs   State = "runs"
	Parked State = "parked"
	Done   State = "done" // merged, or its pull request is open
)

// Item is a requirement as the fleet sees it.
type Item struct {
	Submission
	State           State
	Alive           bool             `json:",omitempty"` // its workflow exists
	Paused          bool             `json:",omitempty"`
	Stopped         bool             `json:",omitempty"` // by a person
	Resting         bool             `json:",omitempty"` // waits for the train or an answer
	Worker, Account string           `json:",omitempty"`
	Attempt         int              `json:",omitempty"`
	Since           time.Time        `json:",omitzero"`
	Why             string           `json:",omitempty"`
	Outcome         *conduct.Outcome `json:",omitempty"`
	Spent           conduct.Spent    `json:",omitzero"`
}

// Fleet is the workflow that assigns requirements to workers.
func Fleet(ctx workflow.Context, s FleetState) error {
	s.Terms = s.Terms.Complete()
	f := &fleet{FleetState: s, box: newMailbox(ctx), started: map[string]bool{}}
	f.items.all = &f.Items
	f.version = workflow.GetVersion(ctx, "fleet", workflow.DefaultVersion, 1)
	if f.version >= 1 && len(f.Items) == 0 {
		f.Scope = f.Name
	}
	f.items.reindex()
	repos, accounts, _ := f.File.Schedule()
	f.queue = schedule.Restore(repos, accounts, s.Queue)
	if err := workflow.SetQueryHandler(ctx, Status, func() (FleetStatus, error) { return f.status(workflow.Now(ctx)), nil }); err != nil {
		return err
	}
	f.listen(ctx)
	f.ensureServants(ctx)
	return f.box.run(ctx, FleetFlow, f.Terms, func() { f.superviseAll(ctx) }, func() { f.dispatch(ctx) }, func() any {
		f.items.prune()
		f.Queue = f.queue.Save()
		return f.FleetState
	})
}

type fleet struct {
	FleetState
	version workflow.Version // 1: scoped ids, requirements hear about caps, quiet hours are recorded
	box     *mailbox
	queue   *schedule.Queue
	items   items
	wake    alarm
	started map[string]bool   // requirements that this run started and whose end it hears
	holds   map[string]string // why workers are idle
	quiet   time.Time
	hours   quietSpan
}

func (f *fleet) listen(ctx workflow.Context) {
	on(ctx, f.box, Submit, f.submit)
	on(ctx, f.box, Hello, func(ctx workflow.Context, w WorkerInfo) { f.Machines = greet(f.Machines, w, workflow.Now(ctx)) })
	on(ctx, f.box, Drain, f.drain)
	on(ctx, f.box, Configure, f.configure)
	on(ctx, f.box, NewNight, func(ctx workflow.Context, name string) {
		f.Night, f.Refused = name, 0
		f.box.signal(ctx, BudgetID(f.Name), NewNight, name, nil)
	})
	on(ctx, f.box, Windows, func(_ workflow.Context, a accountWindows) {
		for _, w := range a.Windows {
			f.queue.Use(a.Account, w.Name, w.Percent, w.Reset, windowLengths[w.Name])
		}
	})
	on(ctx, f.box, Pause, f.pause)
	on(ctx, f.box, Unpause, f.unpause)
	on(ctx, f.box, Stop, f.stop)
	on(ctx, f.box, Ended, f.ended)
	on(ctx, f.box, Lost, f.lost)
	on(ctx, f.box, Limited, f.limited)
	on(ctx, f.box, Rest, f.rest)
	f.box.listen(ctx)
}

// idOf returns the id of a requirement's workflow.
func (f *fleet) idOf(s Submission) string { return RequirementID(f.Scope, s.Repo, s.Issue) }

func (f *fleet) submit(ctx workflow.Context, list []Submission) {
	for _, s := range list {
		i := f.take(ctx, s)
		switch {
		case i == nil:
		case s.Closed && i.State != Runs:
			f.queue.Merge(s.ID())
			i.State, i.Why = Done, "the tracker has it closed"
		case i.State == Parked && !(s.Scheduled && i.Stopped):
			i.State, i.Why, i.Outcome, i.Stopped, i.Since = Waits, "", nil, false, workflow.Now(ctx)
			f.queue.Return(s.ID())
		}
	}
	f.items.forget(f.queue.IsMerged)
}

// greet adds or updates a worker that says hello; machines are sorted by name. A drained worker
// stays drained until it restarts.
func greet(all []Machine, w WorkerInfo, now time.Time) []Machine {
	i, known := slices.BinarySearchFunc(all, w.Name, func(m Machine, name string) int { return cmp.Compare(m.Name, name) })
	if !known {
		all = slices.Insert(all, i, Machine{})
	}
	m := &all[i]
	m.Draining = known && m.Draining && m.Since.Equal(w.Since)
	m.WorkerInfo, m.Seen, m.Missed = w, now, time.Time{}
	return all
}

func (f *fleet) configure(ctx workflow.Context, file fleetfile.File) {
	if len(file.Repositories) == 0 || len(file.Pools) == 0 {
		return // keep the last good file
	}
	had := f.noCaps()
	f.File, f.hours = file, quietSpan{}
	repos, accounts, _ := file.Schedule()
	f.queue.Configure(repos, accounts)
	f.box.signal(ctx, BudgetID(f.Name), Configure, file, nil)
	f.ensureServants(ctx)
	if f.noCaps() != had {
		for _, i := range f.Items {
			f.tellCaps(ctx, i)
		}
	}
}
