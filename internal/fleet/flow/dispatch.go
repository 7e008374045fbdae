package flow

import (
	"fmt"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/fleetfile"
	"warp/internal/core/schedule"
)

// dispatch fills free slots, one per worker in turn, to spread the load.
func (f *fleet) dispatch(ctx workflow.Context) {
	now := workflow.Now(ctx)
	f.holds = map[string]string{}
	if f.Paused != "" {
		return
	}
	f.quiet = f.quietUntil(ctx, now)
	if !f.quiet.IsZero() {
		f.wakeAt(ctx, f.quiet)
		return
	}
	for again := true; again; {
		again = false
		for _, m := range f.Machines {
			if _, stands := f.holds[m.Name]; !stands {
				again = f.fillSlot(ctx, m, now) || again
			}
		}
	}
}

// missedTime is how long a worker that did not take a step gets no other, unless it says hello,
// which living workers do every minute. A dead machine once got the same requirement again and
// again while another was idle.
const missedTime = 2 * time.Minute

// fillSlot fills one slot of a worker, or records why it cannot.
func (f *fleet) fillSlot(ctx workflow.Context, m Machine, now time.Time) bool {
	slots, accounts := findTerms(f.File, m)
	used, resting := f.items.countUse(m.Name)
	switch {
	case m.Draining:
		f.holds[m.Name] = "it is drained"
	case now.Sub(m.Seen) > f.Terms.Silence:
		f.holds[m.Name] = "nothing was heard from it since " + m.Seen.UTC().Format("15:04:05") + " UTC"
	case now.Sub(m.Missed) < missedTime:
		f.holds[m.Name] = "it did not take its last step"
		f.wakeAt(ctx, m.Missed.Add(missedTime))
	case slots == 0:
		f.holds[m.Name] = "its pool is not in fleet.yaml"
	case used+max(0, resting-slots) >= slots:
		f.holds[m.Name] = "its slots are in use"
	default:
		g, hold := f.queue.Take(schedule.Worker{Pool: m.Pool, Accounts: accounts}, now)
		if hold.Why == "" {
			f.place(ctx, m.Name, g)
			return true
		}
		f.holds[m.Name] = hold.Why
		if !hold.Until.IsZero() {
			f.wakeAt(ctx, hold.Until)
		}
	}
	return false
}

// findTerms returns a worker's own slots and accounts, or those of its pool.
func findTerms(file fleetfile.File, m Machine) (slots int, accounts []string) {
	slots, accounts = m.Slots, m.Accounts
	i := slices.IndexFunc(file.Pools, func(p fleetfile.Pool) bool { return p.Label == m.Pool })
	if i >= 0 && slots == 0 {
		slots = file.Pools[i].Slots
	}
	if i >= 0 && len(accounts) == 0 {
		accounts = file.Pools[i].Accounts
	}
	return slots, accounts
}

func (f *fleet) wakeAt(ctx workflow.Context, at time.Time) {
	f.wake.set(ctx, at, func() { f.box.changed = true })
}

// place gives a worker a requirement: it signals a workflow that waits, or starts one.
func (f *fleet) place(ctx workflow.Context, worker string, g schedule.Grant) {
	i := f.items.find(g.ID)
	i.Attempt++
	i.State, i.Worker, i.Account, i.Why, i.Resting, i.Since = Runs, worker, g.Account, "", false, workflow.Now(ctx)
	if i.Alive {
		f.assign(ctx, *i, func(err error) {
			if i := f.items.find(g.ID); err != nil && i != nil && i.State == Runs { // the workflow is gone
				f.start(ctx, i)
			}
		})
		return
	}
	f.start(ctx, i)
}

func (f *fleet) assign(ctx workflow.Context, i Item, then func(error)) {
	a := assignment{Worker: i.Worker, Account: findAccount(f.File, i.Account), Attempt: i.Attempt, Night: f.Night, NoCaps: f.noCaps()}
	f.box.signal(ctx, f.idOf(i.Submission), Assign, a, then)
}

func findAccount(file fleetfile.File, name string) fleetfile.Account {
	if i := slices.IndexFunc(file.Accounts, func(a fleetfile.Account) bool { return a.Name == name }); i >= 0 {
		return file.Accounts[i]
	}
	return fleetfile.Account{Name: name}
}

// startChild starts a workflow that outlives this run of the fleet.
func startChild(ctx workflow.Context, id, flow string, in any) workflow.ChildWorkflowFuture {
	return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}), flow, in)
}

func (f *fleet) start(ctx workflow.Context, i *Item) {
	repo := slices.IndexFunc(f.File.Repositories, func(r fleetfile.Repository) bool { return r.Name == i.Repo })
	if repo < 0 {
		f.park(ctx, i, i.Repo+" is not in the fleet")
		return
	}
	i.Alive = true
	in := Requirement{Scope: f.Scope, NoCaps: f.noCaps(), Worker: i.Worker, Terms: f.Terms, Work: Work{Fleet: f.Name, Night: f.Night, Repository: f.File.Repositories[repo], Issue: i.Issue,
		Title: i.Title, Account: findAccount(f.File, i.Account), Attempt: i.Attempt}, Paused: i.Paused, Total: i.Spent, Earlier: i.Spent}
	id, attempt := i.ID(), i.Attempt
	child := startChild(ctx, f.idOf(i.Submission), RequirementFlow, in)
	f.started[id] = true
	f.box.follow(ctx, child.GetChildWorkflowExecution(), func(err error) {
		i := f.items.find(id)
		switch {
		case i == nil || i.Attempt != attempt:
		case err == nil:
			if in.NoCaps != f.noCaps() { // caps changed before it could be signalled
				f.tellCaps(ctx, *i)
			}
		case temporal.IsWorkflowExecutionAlreadyStartedError(err):
			f.started[id] = false
			f.assign(ctx, *i, func(err error) { f.checkGone(ctx, id, attempt, err) })
		default:
			f.checkGone(ctx, id, attempt, fmt.Errorf("starting it: %w", err))
		}
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		if child.GetChildWorkflowExecution().Get(ctx, nil) != nil {
			return
		}
		err := child.Get(ctx, nil)
		delete(f.started, id)
		if i := f.items.find(id); i != nil && err != nil { // else its report is on the way, or another was started since
			f.checkGone(ctx, id, i.Attempt, err)
			f.box.changed = true
		}
	})
}

// ensureServants starts the budget and the trains unless they run already.
func (f *fleet) ensureServants(ctx workflow.Context) {
	f.box.follow(ctx, startChild(ctx, BudgetID(f.Name), BudgetFlow, BudgetState{Fleet: f.Name, Night: f.Night, File: f.File, Terms: f.Terms}).GetChildWorkflowExecution(), nil)
	for _, r := range f.File.Repositories {
		f.box.follow(ctx, startChild(ctx, TrainID(f.Scope, r.Name, r.Target), TrainFlow, TrainState{Repo: r.Name, Target: r.Target, Terms: f.Terms}).GetChildWorkflowExecution(), nil)
	}
}

// How long silent workers are remembered: machines that have a new name each time would fill the
// state. An order to drain one must hold when it wakes up after a weekend.
const (
	forgetTime        = 24 * time.Hour
	forgetDrainedTime = 30 * forgetTime
)

// superviseAll runs at every tick. It restarts servants that have ended, and pings requirements
// whose end this run would not hear of.
func (f *fleet) superviseAll(ctx workflow.Context) {
	f.ensureServants(ctx)
	f.Machines = slices.DeleteFunc(f.Machines, func(m Machine) bool {
		used, resting := f.items.countUse(m.Name)
		after := f.Terms.Silence + forgetTime
		if m.Draining {
			after = f.Terms.Silence + forgetDrainedTime
		}
		return used+resting == 0 && workflow.Now(ctx).Sub(m.Seen) > after
	})
	for _, i := range f.Items {
		if i.Alive && !f.started[i.ID()] {
			id, attempt := i.ID(), i.Attempt
			f.box.signal(ctx, f.idOf(i.Submission), Ping, "", func(err error) { f.checkGone(ctx, id, attempt, err) })
		}
	}
	f.box.changed = true
}
