package workqueue

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// The bounds of a loop.
const (
	FullPasses    = 2  // in a row end it
	SameGate      = 3  // failures of one gate in a row ask for another approach
	NoImprovement = 2  // iterations without any ask for another approach
	MaxIterations = 50 // where no bound is set
)

// The reasons why an evaluation ends a loop, as a session's completion_reason.
const (
	ReasonPassed    = "gates-passed"
	ReasonExhausted = "max_iterations"
	ReasonFailed    = "failed"
)

// Facts is what is known when an iteration is over.
type Facts struct {
	Iteration int      // the one that is over
	Max       int      // iterations; 0: MaxIterations
	Ran       int      // gates that ran in it
	Failed    []string // the names of those that did not pass
	Open      int      // items that are not done
	Added     int      // items that came in it, or came again
	Done      int      // items that were finished in it
	Failing   int      // things that fail: tests, or gates that name none
	Record    Record   // what the last evaluation left
}

// Record is what an evaluation leaves to the next.
type Record struct {
	Iteration int            `json:"iteration"`         // the last that was evaluated
	Passes    int            `json:"passes"`            // full ones, in a row
	Failing   int            `json:"failing"`           // things that failed
	Stale     int            `json:"stale"`             // iterations in a row without improvement
	Streaks   map[string]int `json:"streaks,omitempty"` // failures in a row, by gate
	Changed   int            `json:"changed,omitempty"` // the iteration after which the approach changed
	Why       string         `json:"why,omitempty"`     // it did
	// Before is what this record was made from: an iteration that is evaluated
	// again, because its evaluation was not the last thing before a crash, is
	// evaluated from there and counts once.
	Before *Record `json:"before,omitempty"`
}

// Verdict is what is done next.
type Verdict struct {
	Event  Event
	Reason string // why it ends; "": it goes on
	Why    string // for people
	Record Record
}

// evaluate decides after an iteration. A full pass is one in which gates ran and
// all of them passed, nothing is open and nothing new came. A loop that does not
// get on takes another approach once; when it stalls again it ends.
func evaluate(f Facts) Verdict {
	was := f.Record
	if was.Before != nil && f.Iteration <= was.Iteration {
		was = *was.Before
	}
	was.Before = nil
	now := Record{Iteration: f.Iteration, Failing: f.Failing, Changed: was.Changed, Why: was.Why, Before: &was}
	passed := f.Ran > 0 && len(f.Failed) == 0 && f.Open == 0 && f.Added == 0
	if passed {
		now.Passes = was.Passes + 1
	}
	if !passed && f.Done == 0 && f.Failing >= was.Failing {
		now.Stale = was.Stale + 1
	}
	for _, gate := range f.Failed {
		if now.Streaks == nil {
			now.Streaks = map[string]int{}
		}
		now.Streaks[gate] = was.Streaks[gate] + 1
	}
	return f.decide(now)
}

func (f Facts) decide(now Record) Verdict {
	most := f.Max
	if most <= 0 {
		most = MaxIterations
	}
	stalled := f.stalled(now)
	v := Verdict{Record: now}
	switch {
	case now.Passes >= FullPasses:
		v.Event, v.Reason = GatesPassed, ReasonPassed
		v.Why = fmt.Sprintf("every gate passed %d times in a row, and nothing is left to do", now.Passes)
	case stalled != "" && now.Changed > 0:
		v.Event, v.Reason = GivenUp, ReasonFailed
		v.Why = fmt.Sprintf("%s, also with another approach (since iteration %d: %s)", stalled, now.Changed, now.Why)
	case f.Iteration >= most:
		v.Event, v.Reason = Exhausted, ReasonExhausted
		v.Why = fmt.Sprintf("the limit of %s is reached", text.Count(f.Iteration, "iteration"))
	case stalled != "":
		v.Event, v.Why = GatesFailed, stalled
		v.Record.Changed, v.Record.Why = f.Iteration, stalled
		v.Record.Stale, v.Record.Streaks = 0, nil // the other approach has its own chance
	case len(f.Failed) > 0:
		v.Event, v.Why = GatesFailed, "failing: "+strings.Join(f.Failed, ", ")
	case f.Open > 0:
		v.Event = NextItem
	default:
		v.Event = QueueEmpty
	}
	return v
}

// stalled says why a loop does not get on; "": it does.
func (f Facts) stalled(now Record) string {
	for _, gate := range slices.Sorted(maps.Keys(now.Streaks)) {
		if n := now.Streaks[gate]; n >= SameGate {
			return fmt.Sprintf("the gate %s failed %d times in a row", gate, n)
		}
	}
	if now.Stale < NoImprovement {
		return ""
	}
	if f.Ran == 0 {
		return fmt.Sprintf("no gate ran in %d iterations", now.Stale)
	}
	return fmt.Sprintf("nothing improved in %d iterations", now.Stale)
}

// Another is what the prompt of an iteration says when the approach is to
// change; "": it is not.
func (r Record) Another(iteration int) string {
	if r.Changed == 0 || iteration != r.Changed+1 {
		return ""
	}
	return fmt.Sprintf("the approach so far does not work: %s, take another", r.Why)
}
