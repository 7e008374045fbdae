package sessionstate

import (
	"fmt"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// The defaults, for loops and stages alike.
const (
	DefaultMax = 50 // iterations
	DefaultMin = 2  // before a plateau or a judge may end a loop
	DefaultRow = 2  // plateaus, or passes of the gates, in a row
)

// The fixed limits.
const (
	minConfidence    = 0.5 // of a judge that says stop
	maxJudgeFailures = 3   // in a row
	maxAgentErrors   = 3   // in a row
)

// Bounds end a loop whatever its strategy. 0 means no limit, except for iterations: at most
// DefaultMax, or the number of a fixed loop.
type Bounds struct {
	MaxIterations int
	Most          budget.Amount // its time covers the iterations only
	NoProgress    int           // iterations in a row that change and complete nothing
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

// Decide reports whether a stage is done; see the package comment for the order of its checks. Call
// it before every iteration, including the first, and after finishing one that was begun: then a
// stage ends even if the process died between the last row and the end.
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
	if u.Kind == Queue {
		b.NoProgress = 0 // each item has its own tries: one that is impossible does not keep the others from theirs
	}
	return b.tripped(f)
}

// WantsJudge reports whether to ask a judge about the iteration that is about to be recorded.
func WantsJudge(u Until, f Facts) bool {
	return u.Kind == Judge && !f.skipsJudge() && f.Iterations+1 >= u.min()
}

// reached reports whether the strategy is satisfied.
func (u Until) reached(f Facts) Decision {
	switch u.Kind {
	case Plateau:
		return u.reachedPlateau(f)
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

// unmet says that the strategy was not satisfied when the iterations ran out; a fixed loop has no
// other goal.
func (u Until) unmet() string {
	if u.Kind == Fixed {
		return ""
	}
	return ", and did not reach its end (" + u.String() + ")"
}

// tripped reports whether a budget is spent.
func (b Bounds) tripped(f Facts) Decision {
	switch {
	case b.Most.Reached(f.Spent()) != "":
		return stop(ReasonBudget, "%s", b.Most.Reached(f.Spent()))
	case b.NoProgress > 0 && f.Unchanged >= b.NoProgress:
		what := "nothing changed"
		if f.Unseen > 0 {
			what = "nothing was completed, and without a repository changes cannot be seen,"
		}
		return stop(ReasonBudget, noProgress+"%s in %s", what, text.Count(f.Unchanged, "iteration"))
	}
	return Decision{}
}

func (u Until) min() int { return or(u.Min, DefaultMin) }
func (u Until) row() int { return or(u.N, DefaultRow) }

// max returns the largest number of iterations.
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
