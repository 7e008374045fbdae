package flow

import (
	"errors"
	"slices"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
)

// longest limits the duration of a step; heartbeats notice a dead one long before.
const longest = 24 * time.Hour

func (r *requirement) act(ctx workflow.Context, activity string, in any) (Stepped, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              WorkerQueue(r.Work.Fleet, r.Worker),
		HeartbeatTimeout:       r.Terms.Heartbeat,
		ScheduleToStartTimeout: 2 * r.Terms.Heartbeat,
		StartToCloseTimeout:    longest,
		WaitForCancellation:    true,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	var out Stepped
	err := workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

func (r *requirement) begin(ctx workflow.Context) (*conduct.Outcome, error) {
	r.say(ctx, "begins")
	work := r.Work
	work.Steps = r.Serial
	at, err := r.act(ctx, BeginWork, work)
	if err != nil {
		return r.failed(ctx, err)
	}
	r.Begun = true
	if !r.Known || at.Spent.MicroUSD < r.Counts.MicroUSD { // earlier spending is settled; a takeover counts only what its evidence shows
		r.Counts, r.Known = at.Spent, true
	}
	r.count(ctx, at.Spent, 0)
	return r.arrive(ctx, at)
}

func (r *requirement) step(ctx workflow.Context) (*conduct.Outcome, error) {
	s := Step{Work: r.Work, Serial: r.Serial + 1, Deny: r.Stopped}
	if r.Stopped != "" { // the drive parks where it is
		return r.take(ctx, s, nil)
	}
	s.Answer = findAnswer(r.Answers, r.At.Ask)
	var money *Reservation
	if r.At.Agent && !r.NoCaps {
		var err error
		if money, err = r.reserve(ctx, s.Serial); err != nil || money == nil {
			return nil, err
		}
		if s.Deny = money.Refused; !money.Free && s.Deny == "" {
			s.MicroUSD = money.MicroUSD
		}
	}
	if r.At.Agent && s.Deny == "" {
		r.rest(ctx, false)
	}
	return r.take(ctx, s, money)
}

// take takes a step. The step that ends merging leaves the train, however it ends.
func (r *requirement) take(ctx workflow.Context, s Step, money *Reservation) (*conduct.Outcome, error) {
	r.say(ctx, "takes the step")
	at, err := r.act(ctx, TakeStep, s)
	spent := at.Spent
	if err != nil {
		spent = lastBeat(err, r.Counts)
	}
	reserved := int64(0)
	if money != nil && money.Refused == "" {
		reserved = money.Serial
	}
	r.count(ctx, spent, reserved)
	if err != nil {
		return r.failed(ctx, err)
	}
	r.Serial = s.Serial
	if s.Answer != nil {
		r.Answers = nil
	}
	out, err := r.arrive(ctx, at)
	if s.Deny != "" && out == nil && err == nil { // it had to park but returned no outcome
		out = &conduct.Outcome{Result: string(evidence.Budget), Why: s.Deny, Do: "warp-fleet submit " + r.id}
		if r.Stopped != "" {
			out = r.stopped()
		}
		_, err = r.act(ctx, LeaveWork, r.Work)
		err = ignore(err)
	}
	return out, err
}

// arrive stores the drive's state after a step.
func (r *requirement) arrive(ctx workflow.Context, at Stepped) (*conduct.Outcome, error) {
	r.Proven = len(at.Evidence) > 0
	if !r.Proven {
		at.Evidence = r.At.Evidence // keep the last evidence
	}
	r.At = at
	if len(at.Windows) > 0 && !slices.Equal(at.Windows, r.Told) {
		r.Told = at.Windows
		r.box.signal(ctx, FleetID(r.Work.Fleet), Windows, accountWindows{r.Work.Account.Name, at.Windows}, nil)
	}
	if r.Holds && at.Phase != string(drivestate.Merging) {
		if err := r.leaveTrain(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case at.Outcome == nil:
		return nil, nil
	case at.Outcome.Limited == nil:
		return at.Outcome, nil
	}
	r.note("the account " + r.Work.Account.Name + " met a limit")
	return nil, r.giveBack(ctx, Limited, news{Why: at.Outcome.Limited.Text, Outcome: at.Outcome})
}

// giveBack returns the requirement to the fleet's queue.
func (r *requirement) giveBack(ctx workflow.Context, signal string, p news) error {
	if err := r.leaveTrain(ctx); err != nil {
		return err
	}
	r.Worker, r.Begun, r.Leaving, r.Resting, r.At = "", false, false, false, Stepped{Evidence: r.At.Evidence}
	return r.report(ctx, signal, p)
}

// failed handles the error of an activity.
func (r *requirement) failed(ctx workflow.Context, err error) (*conduct.Outcome, error) {
	if ctx.Err() != nil || temporal.IsCanceledError(err) {
		return nil, err
	}
	why, lost, wait := classify(r.Worker, err)
	r.note(why)
	if lost {
		r.Losses++
	} else {
		r.Failures++
	}
	if wait { // until the worker has surely ended its agent
		if err := workflow.Sleep(ctx, r.Terms.Grace); err != nil {
			return nil, err
		}
	}
	if r.Failures >= r.Terms.Failures || r.Losses >= r.Terms.Losses {
		return &conduct.Outcome{Result: string(evidence.Person), Why: why, Do: "warp-fleet submit " + r.id + " when the cause is fixed"}, nil
	}
	return nil, r.giveBack(ctx, Lost, news{Why: why, Missed: lost && !wait})
}

// classify returns the reason of an activity's error, whether the worker was lost, and whether to
// wait because its agent may still run.
func classify(worker string, err error) (why string, lost, wait bool) {
	var late *temporal.TimeoutError
	var app *temporal.ApplicationError
	switch {
	case errors.As(err, &late) && late.TimeoutType() == enums.TIMEOUT_TYPE_SCHEDULE_TO_START:
		return "worker " + worker + " did not take the step", true, false
	case errors.As(err, &late):
		return "worker " + worker + " was lost", true, true
	case errors.As(err, &app) && app.Type() == WorkerLost:
		return "worker " + worker + " left: " + app.Message(), true, true
	case errors.As(err, &app):
		return app.Message(), false, false
	}
	return err.Error(), false, true
}

// lastBeat returns what a drive had spent by its last heartbeat.
func lastBeat(err error, known conduct.Spent) conduct.Spent {
	var late *temporal.TimeoutError
	var app *temporal.ApplicationError
	var b Beat
	switch {
	case errors.As(err, &late) && late.HasLastHeartbeatDetails():
		_ = late.LastHeartbeatDetails(&b) // unreadable details count as none
	case errors.As(err, &app) && app.HasDetails():
		_ = app.Details(&b.Spent)
	}
	if b.Spent.MicroUSD > known.MicroUSD {
		return b.Spent
	}
	return known
}

// ignore drops the error of a worker that is being left anyway, but keeps a cancellation.
func ignore(err error) error {
	if temporal.IsCanceledError(err) {
		return err
	}
	return nil
}
