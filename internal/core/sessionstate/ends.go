package sessionstate

import (
	"fmt"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// The defaults, in loops and in stages alike.
const (
	DefaultMax = 50 // iterations
	DefaultMin = 2  // before a plateau, or a judge, may end a loop
	DefaultRow = 2  // plateaus, or passes of the gates, in a row
)

// The limits that are fixed.
const (
	minConfidence    = 0.5 // of a judge that says stop
	maxJudgeFailures = 3   // in a row
	maxAgentErrors   = 3   // in a row
)

// Bounds are what a loop ends at, whatever its strategy; 0: no bound, but for the
// iterations, of which there are DefaultMax at most, or as many as a fixed loop
// was told.
type Bounds struct {
	MaxIterations int
	Most          budget.Amount // its time is that of its iterations
	NoProgress    int           // iterations in a row without a change or anything completed
}

// Decision is whether a stage is done.
type Decision struct {
	Stop   bool
	Reason string // completion_reason
	Why    string // for people
}

func stop(reason, why string, args ...any) Decision {
	return Decision{true, reason, fmt.Sprintf(why, args...)}
}

// Decide says whether a stage goes on; the package's comment has the order in
// which it looks. It is to be asked before every iteration, the first included, and
// after one that was begun is finished: a process that died between the last row and
// the end then ends it all the same.
func Decide(u Until, b Bounds, f Facts) Decision {
	if d := u.reached(f); d.Stop {
		return d
	}
	full := f.Iterations >= u.max(b)+f.Retried
	switch {
	case f.AgentErrors >= maxAgentErrors:
		return stop(ReasonAgentError, "the agent failed %s in a row", text.Count(f.AgentErrors, "time"))
	case full && (f.Failed >= f.Iterations || u.Kind == Fixed && f.unretried() > 0):
		return stop(ReasonAgentError, "%d of %s had no result", f.Failed, text.Count(f.Iterations, "iteration"))
	case full:
		return stop(ReasonMaxIterations, "it ran %s, the maximum%s", text.Count(f.Iterations, "iteration"), u.unmet())
	}
	return b.tripped(f)
}

// WantsJudge tells whether a judge is to be asked about the iteration that is
// about to be recorded.
func WantsJudge(u Until, f Facts) bool {
	return u.Kind == Judge && !f.skipsJudge() && f.Iterations+1 >= u.min()
}

// reached tells whether the strategy is satisfied.
func (u Until) reached(f Facts) Decision {
	switch u.Kind {
	case Plateau:
		if f.Plateaus >= u.row() && f.Iterations >= u.min() {
			return stop(ReasonPlateau, "%s in a row found nothing to improve%s", text.Count(f.Plateaus, "iteration"), f.unchanged())
		}
	case Judge:
		if v := f.Judge; v != nil && v.Stop && v.Confidence >= minConfidence && f.Iterations >= u.min() {
			return stop(ReasonPlateau, "the judge said stop, with a confidence of %.2f: %s", v.Confidence, v.Reason)
		}
	case Queue:
		switch {
		case f.Queue == nil || *f.Queue > 0:
		case u.Source == Beads:
			return stop(ReasonBeadsEmpty, "no bead is ready")
		default:
			return stop(ReasonQueueEmpty, "the queue is empty")
		}
	case Gates:
		if f.GatesPassed >= u.row() && (f.Queue == nil || *f.Queue <= 0) {
			return stop(ReasonGatesPassed, "all gates passed %s in a row", text.Count(f.GatesPassed, "time"))
		}
	}
	return Decision{}
}

// unmet says that the strategy is not satisfied when the iterations are used up: a
// fixed loop was told no more than that.
func (u Until) unmet() string {
	if u.Kind == Fixed {
		return ""
	}
	return ", and did not reach its end (" + u.String() + ")"
}

// tripped tells whether a budget is spent.
func (b Bounds) tripped(f Facts) Decision {
	switch {
	case b.Most.Reached(f.Spent()) != "":
		return stop(ReasonBudget, "%s", b.Most.Reached(f.Spent()))
	case b.NoProgress > 0 && f.Unchanged >= b.NoProgress:
		what := "nothing changed"
		if f.Unseen > 0 {
			what = "nothing was completed, and without a repository changes cannot be seen,"
		}
		return stop(ReasonBudget, "no progress: %s in %s", what, text.Count(f.Unchanged, "iteration"))
	}
	return Decision{}
}

func (u Until) min() int { return or(u.Min, DefaultMin) }
func (u Until) row() int { return or(u.N, DefaultRow) }

// max is how many iterations there are at most.
func (u Until) max(b Bounds) int {
	limit := b.MaxIterations
	if u.Kind == Fixed && u.N > 0 && (limit <= 0 || u.N < limit) {
		limit = u.N
	}
	return or(limit, DefaultMax)
}

func or(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
