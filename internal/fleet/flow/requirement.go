package flow

import (
	"encoding/json"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/conduct"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// Requirement is the state of one requirement: the workflow's input, also for the next run when the
// history has grown long.
type Requirement struct {
	Work   Work
	Scope  string `json:",omitempty"` // scope of workflow ids, see RequirementID
	NoCaps bool   `json:",omitempty"` // no cap applies: it asks for no money
	Worker string // its worker; "" while it waits for one
	Terms  Terms
	Begun  bool          // the worker has its drive
	At     Stepped       // the state of the drive
	Serial int64         // steps taken so far
	Counts conduct.Spent // what the drive itself has counted and the budget has settled
	Known  bool          // Counts is set
	Total  conduct.Spent // over all attempts
	// Earlier is what earlier submissions spent: this one's limits begin anew.
	Earlier conduct.Spent `json:",omitzero"`
	Proven  bool          `json:",omitempty"` // the last step brought evidence
	// Failures counts failed steps, Losses lost workers.
	Failures, Losses int
	Paused           bool
	Stopped          string           // who stopped it
	Leaving          bool             // its worker is draining
	Answers          []Answer         // not yet passed to the drive
	Boarded          int64            // the serial of its place in the train; 0 if none
	Holds            bool             // it has the turn to merge
	Resting          bool             // the fleet may give its account to others
	Told             []conduct.Window `json:",omitempty"` // windows that the fleet knows
	Since            time.Time
	Notes            []string // latest notes for a person
}

// RequirementStatus answers a requirement's status query.
type RequirementStatus struct {
	Phase, Worker string
	Doing         string // "takes the step", "waits for …"
	Attempt       int
	Serial        int64
	Spent         conduct.Spent
	Counts        conduct.Spent // as the drive counts: one that took over begins anew
	Ask           *conduct.Ask
	Train         string // "waits", "has the turn"
	Paused        bool
	Since         time.Time // when it began what it is doing
	Notes         []string
	Outcome       *conduct.Outcome `json:",omitempty"` // set once it has ended
	Evidence      json.RawMessage  `json:",omitempty"` // the last evidence.Account from a worker
	Proven        bool             `json:",omitempty"` // Evidence came with the outcome
}

// DriveRequirement is the workflow of one requirement: it takes steps, on one worker after
// another, until the drive has an outcome.
func DriveRequirement(ctx workflow.Context, in Requirement) (conduct.Outcome, error) {
	in.Terms = in.Terms.Complete()
	r := &requirement{Requirement: in, box: newMailbox(ctx), id: in.Work.ID()}
	if err := workflow.SetQueryHandler(ctx, Status, r.status); err != nil {
		return conduct.Outcome{}, err
	}
	r.listen(ctx)
	for {
		next := stations[slices.IndexFunc(stations, func(s station) bool { return s.due(r) })]
		outcome, err := next.do(r, ctx)
		if err != nil {
			return r.cancel(ctx, err)
		}
		if outcome != nil {
			r.outcome = outcome
			return *outcome, r.end(ctx, *outcome)
		}
		if r.box.isLong(ctx, r.Terms) {
			return conduct.Outcome{}, r.box.continueAsNew(ctx, RequirementFlow, func() any { return r.Requirement })
		}
	}
}

type requirement struct {
	Requirement
	box     *mailbox
	old     bool   // it began before waits were bounded
	id      string // repo#issue
	doing   string
	granted *Reservation
	serial  int64 // the step that it asks money for; 0 if none
	outcome *conduct.Outcome
}

type station struct {
	due func(*requirement) bool
	do  func(*requirement, workflow.Context) (*conduct.Outcome, error)
}

// stations lists the possible next actions by priority; the first that is due runs.
var stations = []station{
	{func(r *requirement) bool { return r.Stopped != "" && !r.Begun }, func(r *requirement, _ workflow.Context) (*conduct.Outcome, error) { return r.stopped(), nil }},
	{func(r *requirement) bool { return r.Worker == "" }, (*requirement).awaitWorker},
	{func(r *requirement) bool { return r.Leaving }, (*requirement).leaveWorker},
	{func(r *requirement) bool { return r.Stopped != "" }, (*requirement).step},
	{func(r *requirement) bool { return r.Paused }, (*requirement).awaitUnpause},
	{func(r *requirement) bool { return !r.Begun }, (*requirement).begin},
	{func(r *requirement) bool { return r.At.Ask != nil && findAnswer(r.Answers, r.At.Ask) == nil }, (*requirement).ask},
	{func(r *requirement) bool { return r.At.Phase == string(drivestate.Merging) && !r.Holds }, (*requirement).awaitTurn},
	{func(*requirement) bool { return true }, (*requirement).step},
}

func (r *requirement) say(ctx workflow.Context, doing string) {
	r.doing, r.Since = doing, workflow.Now(ctx)
}

func (r *requirement) note(line string) {
	r.Notes = append(r.Notes, text.ClipRunes(line, mostWhy))
	r.Notes = r.Notes[max(0, len(r.Notes)-10):]
}

func (r *requirement) status() (RequirementStatus, error) {
	s := RequirementStatus{Phase: r.At.Phase, Worker: r.Worker, Doing: r.doing, Attempt: r.Work.Attempt, Serial: r.Serial, Spent: r.Total, Counts: r.Counts,
		Ask: r.At.Ask, Paused: r.Paused, Since: r.Since, Notes: r.Notes, Outcome: r.outcome, Evidence: r.At.Evidence, Proven: r.Proven}
	if r.Boarded > 0 {
		s.Train = "waits"
	}
	if r.Holds {
		s.Train = "has the turn"
	}
	return s, nil
}

// interrupted reports whether to stop waiting.
func (r *requirement) interrupted() bool { return r.Stopped != "" || r.Leaving }

// await waits for something that may never come. Signals make the history grow meanwhile: once it
// is long, the wait ends and continues in the next history.
func (r *requirement) await(ctx workflow.Context, done func() bool) error {
	err := workflow.Await(ctx, func() bool { return done() || !r.old && r.box.isLong(ctx, r.Terms) })
	if err != nil || done() || workflow.GetVersion(ctx, "waits-are-bounded", workflow.DefaultVersion, 1) >= 1 {
		return err
	}
	r.old = true
	return workflow.Await(ctx, done)
}

func (r *requirement) awaitWorker(ctx workflow.Context) (*conduct.Outcome, error) {
	r.say(ctx, "waits for a worker")
	return nil, r.await(ctx, func() bool { return r.Worker != "" || r.Stopped != "" })
}

func (r *requirement) awaitUnpause(ctx workflow.Context) (*conduct.Outcome, error) {
	r.say(ctx, "is paused")
	return nil, r.await(ctx, func() bool { return !r.Paused || r.interrupted() })
}

func (r *requirement) stopped() *conduct.Outcome {
	return &conduct.Outcome{Result: string(evidence.Stopped), Why: r.Stopped, Do: "warp-fleet submit " + r.id}
}

// end tells the fleet the outcome, after all earlier signals have arrived.
func (r *requirement) end(ctx workflow.Context, o conduct.Outcome) error {
	if err := r.leaveTrain(ctx); err != nil {
		return err
	}
	if err := r.box.flush(ctx); err != nil {
		return err
	}
	r.say(ctx, "ends")
	return r.report(ctx, Ended, news{Outcome: &o})
}

// report signals the fleet and waits for the delivery. If the fleet is gone, the workflow's result
// must do.
func (r *requirement) report(ctx workflow.Context, signal string, p news) error {
	p.Requirement, p.Attempt, p.Spent = r.id, r.Work.Attempt, r.Total
	err := workflow.SignalExternalWorkflow(ctx, FleetID(r.Work.Fleet), "", signal, p).Get(ctx, nil)
	if err != nil && ctx.Err() == nil {
		r.note("the fleet could not be told " + signal + ": " + err.Error())
		return nil
	}
	return ctx.Err()
}

// rest tells the fleet that others may use its account, or that it needs it again.
func (r *requirement) rest(ctx workflow.Context, resting bool) {
	if r.Resting != resting {
		r.Resting = resting
		r.box.signal(ctx, FleetID(r.Work.Fleet), Rest, news{Requirement: r.id, Attempt: r.Work.Attempt, Works: !resting}, nil)
	}
}

// cancel ends a requirement whose workflow a person cancelled, bypassing the fleet.
func (r *requirement) cancel(ctx workflow.Context, err error) (conduct.Outcome, error) {
	if ctx.Err() == nil {
		return conduct.Outcome{}, err
	}
	free, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	if r.Begun {
		_, _ = r.act(free, LeaveWork, r.Work)
	}
	r.Stopped = "its workflow was cancelled"
	return *r.stopped(), r.end(free, *r.stopped())
}
