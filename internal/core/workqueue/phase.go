package workqueue

import (
	"cmp"

	"warp/internal/core/lazy"
	"warp/internal/core/machine"
)

// Phase is a quality loop's position.
type Phase string

// Event moves a loop from one phase to another.
type Event string

// The last three are final.
const (
	Contextualize Phase = "CONTEXTUALIZE" // reads the project, once per start
	Assess        Phase = "ASSESS"        // a read-only agent looks for work
	Plan          Phase = "PLAN"          // the engine takes the next items
	Build         Phase = "BUILD"         // an agent does them
	Test          Phase = "TEST"          // the test gate
	Quality       Phase = "QUALITY"       // the other gates
	EvaluatePhase Phase = "EVALUATE"      // the engine decides
	Recover       Phase = "RECOVER"       // failures become work; the approach may change
	Paused        Phase = "PAUSED"
	Complete      Phase = "COMPLETE"
	Stopped       Phase = "STOPPED"
	Failed        Phase = "FAILED"
)

const (
	ContextReady Event = "context_ready" // nothing is known yet, or nothing is left to do
	WorkWaits    Event = "work_waits"    // a loop continues with what is in the queue
	WorkFound    Event = "work_found"
	NothingFound Event = "nothing_found"
	ItemsChosen  Event = "items_chosen"
	NothingToDo  Event = "nothing_to_do"
	Built        Event = "built"
	Tested       Event = "tested" // passed or not: the other gates run too
	Checked      Event = "checked"
	NextItem     Event = "next_item"
	QueueEmpty   Event = "queue_empty"
	GatesFailed  Event = "gates_failed"
	GatesPassed  Event = "gates_passed"
	Exhausted    Event = "exhausted" // no iterations left
	GivenUp      Event = "given_up"
	Recovered    Event = "recovered"
	PauseAsked   Event = "pause"
	Resumed      Event = "resume"
	StopAsked    Event = "stop"
	Broke        Event = "broke" // an agent, a budget or the machine
)

// working are the phases in which a loop can be paused, stopped or break.
var working = []Phase{Contextualize, Assess, Plan, Build, Test, Quality, EvaluatePhase, Recover}

// Table returns the transitions between phases.
func Table() *machine.Table[Phase, Event] {
	return machine.New(append([]machine.Row[Phase, Event]{
		{From: Contextualize, On: ContextReady, To: Assess},
		{From: Contextualize, On: WorkWaits, To: Plan},
		{From: Assess, On: WorkFound, To: Plan},
		{From: Assess, On: NothingFound, To: Test},
		{From: Plan, On: ItemsChosen, To: Build},
		{From: Plan, On: NothingToDo, To: Test},
		{From: Build, On: Built, To: Test},
		{From: Test, On: Tested, To: Quality},
		{From: Quality, On: Checked, To: EvaluatePhase},
		{From: EvaluatePhase, On: NextItem, To: Plan},
		{From: EvaluatePhase, On: QueueEmpty, To: Assess},
		{From: EvaluatePhase, On: GatesFailed, To: Recover},
		{From: EvaluatePhase, On: GatesPassed, To: Complete},
		{From: EvaluatePhase, On: Exhausted, To: Stopped},
		{From: EvaluatePhase, On: GivenUp, To: Failed},
		{From: Recover, On: Recovered, To: Plan},
		{From: Paused, On: Resumed, To: Contextualize},
		{From: Paused, On: StopAsked, To: Stopped},
	}, interruptions()...))
}

func interruptions() (rows []machine.Row[Phase, Event]) {
	for _, p := range working {
		rows = append(rows,
			machine.Row[Phase, Event]{From: p, On: PauseAsked, To: Paused},
			machine.Row[Phase, Event]{From: p, On: StopAsked, To: Stopped},
			machine.Row[Phase, Event]{From: p, On: Broke, To: Failed})
	}
	return rows
}

// Fire applies events to the queue's loop.
func (q *Queue) Fire(events ...Event) error {
	for _, e := range events {
		to, err := Table().Next(q.Loop.Phase, e)
		if err != nil {
			return err
		}
		q.Loop.Phase = to
	}
	return nil
}

// Final reports whether the phase is final.
func (p Phase) Final() bool { return p == Complete || p == Stopped || p == Failed }

// statuses are the names in LOOP_STATE.md that differ from the phase's.
var statuses = lazy.Table[Phase, string]{
	{Contextualize, "CONTEXTUALIZING"}, {Assess, "ASSESSING"}, {Plan, "PLANNING"}, {Build, "BUILDING"}, {Test, "TESTING"},
	{Quality, "CHECKING"}, {EvaluatePhase, "EVALUATING"}, {Recover, "RECOVERING"},
}

// Status returns the phase's name in LOOP_STATE.md.
func (p Phase) Status() string { return cmp.Or(statuses.Get(p), string(p)) }
