package workqueue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// The limits of a loop.
const (
	FullPasses    = 2  // in a row end it, by default
	SameGate      = 3  // failures of one gate in a row call for another approach
	NoImprovement = 2  // iterations without improvement call for another approach
	MaxIterations = 50 // by default
)

// The reasons why an evaluation ends a loop, as in a session's completion_reason.
const (
	ReasonPassed    = "gates-passed"
	ReasonExhausted = "max_iterations"
	ReasonFailed    = "failed"
)

// Facts describe a finished iteration.
type Facts struct {
	Iteration int      // the finished one
	Max       int      // iterations; 0: MaxIterations
	Passes    int      // full ones in a row that end it; 0: FullPasses
	Ran       int      // gates that ran
	Failed    []string // gates that did not pass
	Open      int      // items not done
	Added     int      // items added or reopened
	Done      int      // items finished
	Failing   int      // failing tests, or gates that name none
	Record    Record   // from the last evaluation
}

// Record is what an evaluation passes on to the next.
type Record struct {
	Iteration int            `json:"iteration"`         // last evaluated
	Passes    int            `json:"passes"`            // full ones, in a row
	Failing   int            `json:"failing"`           // things that failed
	Stale     int            `json:"stale"`             // iterations in a row without improvement
	Streaks   map[string]int `json:"streaks,omitempty"` // failures in a row, by gate
	Changed   int            `json:"changed,omitempty"` // iteration after which the approach changed
	Why       string         `json:"why,omitempty"`     // why it did
	// Before is the record that this one was made from. An iteration that is evaluated again after
	// a crash starts from there and counts once.
	Before *Record `json:"before,omitempty"`
}

// Verdict is the decision about what comes next.
type Verdict struct {
	Event  Event
	Reason string // why it ends; "" if it continues
	Why    string // for people
	Record Record
}

// evaluate decides after an iteration. In a full pass, gates ran and all passed, nothing is open
// and nothing new came in. A loop without progress changes its approach once; if it stalls again,
// it ends.
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
	case now.Passes >= cmp.Or(f.Passes, FullPasses):
		v.Event, v.Reason = GatesPassed, ReasonPassed
		v.Why = fmt.Sprintf("every gate passed %s in a row, and nothing is left to do", text.Count(now.Passes, "time"))
	case stalled != "" && now.Changed > 0:
		v.Event, v.Reason = GivenUp, ReasonFailed
		v.Why = fmt.Sprintf("%s, also with another approach (since iteration %d: %s)", stalled, now.Changed, now.Why)
	case f.Iteration >= most:
		v.Event, v.Reason = Exhausted, ReasonExhausted
		v.Why = "it used up its iterations, and did not reach its end (gates)"
	case stalled != "":
		v.Event, v.Why = GatesFailed, stalled
		v.Record.Changed, v.Record.Why = f.Iteration, stalled
		v.Record.Stale, v.Record.Streaks = 0, nil // the new approach gets its own chance
	case len(f.Failed) > 0:
		v.Event, v.Why = GatesFailed, "failing: "+strings.Join(f.Failed, ", ")
	case f.Open > 0:
		v.Event = NextItem
	default:
		v.Event = QueueEmpty
	}
	return v
}

// stalled returns why a loop makes no progress; "" if it does.
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

// ApproachAdvice returns what the prompt of an iteration says if the approach should change; "" if not.
func (r Record) ApproachAdvice(iteration int) string {
	if r.Changed == 0 || iteration != r.Changed+1 {
		return ""
	}
	return fmt.Sprintf("the approach so far does not work: %s, take another", r.Why)
}
