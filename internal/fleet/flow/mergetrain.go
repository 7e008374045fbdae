package flow

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"
)

// TrainState is the state of a merge train; the first in line has the turn.
type TrainState struct {
	Repo, Target string
	Terms        Terms
	Line         []Passenger
}

// Passenger is a requirement in the train's line.
type Passenger struct {
	Boarding
	Since time.Time // when it boarded or got the turn
	Turn  bool
}

// TrainStatus answers a train's status query.
type TrainStatus struct {
	Repo, Target string
	Holder       string
	Line         []Passenger
}

// Train is the workflow that lets one requirement after another merge into a target.
func Train(ctx workflow.Context, s TrainState) error {
	s.Terms = s.Terms.Complete()
	t := &train{TrainState: s}
	if err := workflow.SetQueryHandler(ctx, Status, t.status); err != nil {
		return err
	}
	box := newMailbox(ctx)
	on(ctx, box, Board, t.board)
	on(ctx, box, Leave, t.leave)
	box.listen(ctx)
	again := func() { t.asked = false; box.changed = true }
	return box.run(ctx, TrainFlow, s.Terms, again, func() { t.giveTurn(ctx, box) }, func() any { return t.TrainState })
}

type train struct {
	TrainState
	asked bool // the holder was told about its turn since the last tick
}

func (t *train) status() (TrainStatus, error) {
	s := TrainStatus{Repo: t.Repo, Target: t.Target, Line: t.Line}
	if len(t.Line) > 0 && t.Line[0].Turn {
		s.Holder = t.Line[0].Workflow
	}
	return s, nil
}

func (t *train) board(ctx workflow.Context, b Boarding) {
	i := slices.IndexFunc(t.Line, func(p Passenger) bool { return p.Workflow == b.Workflow })
	if i < 0 {
		t.Line = append(t.Line, Passenger{Boarding: b, Since: workflow.Now(ctx)})
		return
	}
	t.Line[i].Serial = max(b.Serial, t.Line[i].Serial)
	if i == 0 { // it has forgotten that it has the turn
		t.asked = false
	}
}

func (t *train) leave(_ workflow.Context, b Boarding) { t.remove(b) }

func (t *train) remove(b Boarding) {
	gone := func(p Passenger) bool { return p.Workflow == b.Workflow && p.Serial <= b.Serial }
	if len(t.Line) > 0 && gone(t.Line[0]) {
		t.asked = false
	}
	t.Line = slices.DeleteFunc(t.Line, gone)
}

// giveTurn tells the first in line that it has the turn. It repeats this at every tick, because a
// requirement that cannot be signalled is gone and loses the turn.
func (t *train) giveTurn(ctx workflow.Context, box *mailbox) {
	if len(t.Line) == 0 || t.asked {
		return
	}
	first := &t.Line[0]
	t.asked = true
	if !first.Turn {
		first.Turn, first.Since = true, workflow.Now(ctx)
	}
	b := first.Boarding
	box.signal(ctx, b.Workflow, Turn, b, func(err error) {
		if err != nil {
			t.remove(b)
		}
	})
}
