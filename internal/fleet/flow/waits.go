package flow

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
)

func (r *requirement) listen(ctx workflow.Context) {
	on(ctx, r.box, Assign, r.assign)
	on(ctx, r.box, Pause, func(workflow.Context, Order) { r.Paused = true })
	on(ctx, r.box, Unpause, func(workflow.Context, Order) { r.Paused = false })
	on(ctx, r.box, Stop, func(_ workflow.Context, o Order) { r.Stopped = stoppedBy(o.By) })
	on(ctx, r.box, Leave, func(_ workflow.Context, worker string) { r.Leaving = r.Worker != "" && worker == r.Worker })
	on(ctx, r.box, Reply, r.answer)
	on(ctx, r.box, Turn, r.takeTurn)
	on(ctx, r.box, Granted, r.takeMoney)
	on(ctx, r.box, Capped, func(_ workflow.Context, capped bool) { r.NoCaps = !capped })
	on(ctx, r.box, Ping, func(workflow.Context, string) {})
	r.box.listen(ctx)
}

func stoppedBy(who string) string {
	if who == "" {
		return "a person stopped it"
	}
	return who + " stopped it"
}

func (r *requirement) assign(ctx workflow.Context, a assignment) {
	if r.Worker == "" && a.Attempt <= r.Work.Attempt { // a restarted fleet does not know the attempt
		r.box.signal(ctx, FleetID(r.Work.Fleet), Lost, news{Requirement: r.id, Attempt: r.Work.Attempt, Spent: r.Total, Why: "an attempt was counted twice"}, nil)
	}
	r.NoCaps = r.NoCaps && a.NoCaps // caps apply to its current worker too
	if r.Worker != "" || a.Attempt <= r.Work.Attempt {
		return // it has a worker; this assignment is late
	}
	r.Worker, r.Work.Account, r.Work.Attempt, r.Work.Night, r.NoCaps = a.Worker, a.Account, a.Attempt, a.Night, a.NoCaps
}

// leaveWorker lets the worker end the drive's process, and returns the requirement to the queue.
func (r *requirement) leaveWorker(ctx workflow.Context) (*conduct.Outcome, error) {
	r.say(ctx, "leaves its worker")
	if r.Begun {
		if _, err := r.act(ctx, LeaveWork, r.Work); err != nil {
			return r.failed(ctx, err)
		}
	}
	return nil, r.giveBack(ctx, Lost, news{Why: "worker " + r.Worker + " is drained"})
}

// answer stores a person's answer if it is to the open question.
func (r *requirement) answer(_ workflow.Context, a Answer) {
	switch {
	case r.At.Ask == nil || r.At.Ask.ID != a.Question:
		r.note("ignored an answer to " + a.Question + ", which is not the open question")
	case findAnswer(r.Answers, r.At.Ask) != nil:
		r.note("ignored a second answer to " + a.Question)
	default:
		r.Answers = append(r.Answers, a)
	}
}

// findAnswer returns the answer to a question; nil if there is none.
func findAnswer(all []Answer, q *conduct.Ask) *Answer {
	if q == nil {
		return nil
	}
	if i := slices.IndexFunc(all, func(a Answer) bool { return a.Question == q.ID }); i >= 0 {
		return &all[i]
	}
	return nil
}

// ask waits for the answer to a question, for as long as the question allows.
func (r *requirement) ask(ctx workflow.Context) (*conduct.Outcome, error) {
	q := r.At.Ask
	r.say(ctx, "waits for an answer")
	r.rest(ctx, true)
	done := func() bool { return findAnswer(r.Answers, q) != nil || r.interrupted() }
	if q.Minutes <= 0 {
		if err := r.await(ctx, done); err != nil || !done() {
			return nil, err
		}
	} else if _, err := workflow.AwaitWithTimeout(ctx, time.Duration(q.Minutes)*time.Minute, done); err != nil {
		return nil, err
	}
	if r.interrupted() {
		return nil, nil
	}
	if findAnswer(r.Answers, q) == nil {
		r.Answers = append(r.Answers, Answer{Question: q.ID})
	}
	return nil, nil
}

func trainOf(r Requirement) string {
	return TrainID(r.Scope, r.Work.Repository.Name, r.Work.Repository.Target)
}

// awaitTurn boards the merge train and waits for the turn. If the train does not exist yet, it
// tries again later.
func (r *requirement) awaitTurn(ctx workflow.Context) (*conduct.Outcome, error) {
	r.say(ctx, "waits for its turn to merge")
	r.rest(ctx, true)
	if r.Boarded == 0 {
		r.Boarded = r.Work.serial(r.Serial + 1)
		b := Boarding{workflow.GetInfo(ctx).WorkflowExecution.ID, trainOf(r.Requirement), r.Boarded}
		if err := workflow.SignalExternalWorkflow(ctx, trainOf(r.Requirement), "", Board, b).Get(ctx, nil); err != nil {
			r.Boarded = 0
			_, err = workflow.AwaitWithTimeout(ctx, time.Minute, r.interrupted)
			return nil, err
		}
	}
	return nil, r.await(ctx, func() bool { return r.Holds || r.interrupted() })
}

func (r *requirement) takeTurn(ctx workflow.Context, b Boarding) {
	if b.Serial == r.Boarded {
		r.Holds = true
		return
	}
	r.box.signal(ctx, b.Train, Leave, b, nil) // it no longer wants the turn
}

// leaveTrain waits for the delivery: a late signal must not remove the requirement if it boards
// again.
func (r *requirement) leaveTrain(ctx workflow.Context) error {
	if r.Boarded == 0 {
		return nil
	}
	b := Boarding{workflow.GetInfo(ctx).WorkflowExecution.ID, trainOf(r.Requirement), r.Boarded}
	r.Boarded, r.Holds = 0, false
	return ignore(workflow.SignalExternalWorkflow(ctx, trainOf(r.Requirement), "", Leave, b).Get(ctx, nil))
}

// reserve waits until the budget has money for the step; nil if interrupted. A refusal is final for
// this night.
func (r *requirement) reserve(ctx workflow.Context, serial int64) (*Reservation, error) {
	r.say(ctx, "waits for money")
	ask := Reservation{Workflow: workflow.GetInfo(ctx).WorkflowExecution.ID, Repo: r.Work.Repository.Name, Serial: r.Work.serial(serial), MicroUSD: r.Terms.MicroUSD}
	r.granted, r.serial = nil, ask.Serial
	budget := BudgetID(r.Work.Fleet)
	if err := workflow.SignalExternalWorkflow(ctx, budget, "", Reserve, ask).Get(ctx, nil); err != nil {
		_, err = workflow.AwaitWithTimeout(ctx, time.Minute, r.interrupted) // the fleet starts the budget
		return nil, err
	}
	err := r.await(ctx, func() bool { return r.granted != nil || r.interrupted() })
	got := r.granted
	r.granted, r.serial = nil, 0
	if err != nil || got == nil || r.interrupted() {
		ask.MicroUSD = 0
		r.box.signal(ctx, budget, Settle, ask, nil)
		return nil, err
	}
	r.serial = got.Serial
	return got, nil
}

// serial numbers a step uniquely over all attempts: a repeated step is paid again.
func (w Work) serial(step int64) int64 { return int64(w.Attempt)*1_000_000 + step }

func (r *requirement) takeMoney(ctx workflow.Context, g Reservation) {
	switch {
	case g.Serial != r.serial:
		g.MicroUSD = 0
		r.box.signal(ctx, BudgetID(r.Work.Fleet), Settle, g, nil)
	case r.granted == nil:
		r.granted = &g
	}
}

// count adds up the spending and settles the reservation for it; 0 if there is none.
func (r *requirement) count(ctx workflow.Context, spent conduct.Spent, reserved int64) {
	used := max(0, spent.MicroUSD-r.Counts.MicroUSD)
	r.Total.MicroUSD += used
	r.Total.Tokens += max(0, spent.Tokens-r.Counts.Tokens)
	r.Counts = spent
	r.Work.Spent = conduct.Spent{MicroUSD: r.Total.MicroUSD - r.Earlier.MicroUSD, Tokens: r.Total.Tokens - r.Earlier.Tokens}
	if reserved == 0 && used == 0 {
		return
	}
	r.serial = 0
	s := Reservation{Workflow: workflow.GetInfo(ctx).WorkflowExecution.ID, Repo: r.Work.Repository.Name, Serial: reserved, MicroUSD: used}
	r.box.signal(ctx, BudgetID(r.Work.Fleet), Settle, s, nil)
}
