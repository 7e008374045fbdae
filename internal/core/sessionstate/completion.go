package sessionstate

import (
	"fmt"
	"strconv"
	"strings"

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

// Kind is the kind of a completion strategy.
type Kind string

const (
	Fixed   Kind = "fixed"
	Plateau Kind = "plateau"
	Judge   Kind = "judge"
	Queue   Kind = "queue"
	Gates   Kind = "gates"
)

// The sources of a queue. Without one, the caller chooses.
const (
	Beads  = "beads"  // ready beads
	Issues = "issues" // the tracker's, with a label
	Work   = "work"   // the work queue
)

// Strategies describes the syntax, for messages and help.
const Strategies = "fixed [N], plateau [K], judge, queue [beads | issues:LABEL | work], gates [N]"

// Until is a completion strategy: until when a loop iterates.
type Until struct {
	Kind   Kind
	N      int    // fixed: iterations; plateau, gates: how many in a row; 0: default
	Source string // of a queue
	Label  string // of issues
	Min    int    // plateau, judge: minimum of iterations; 0: default
}

// most is the largest number in a strategy.
const most = 1_000_000

// ParseUntil reads a strategy as people write it: "plateau", "plateau 3", "plateau:3", "fixed=5",
// "queue issues:bug". "beads" and "issues:bug" are queues.
func ParseUntil(text string) (Until, error) {
	word, arg := split(text)
	u := Until{Kind: Kind(strings.ToLower(word))}
	switch u.Kind {
	case Fixed, Plateau, Gates:
		if arg == "" {
			return u, nil
		}
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > most {
			return Until{}, fmt.Errorf("%s takes a number from 1 to %d, not %q", u.Kind, most, arg)
		}
		u.N = n
		return u, nil
	case Judge:
		if arg != "" {
			return Until{}, fmt.Errorf("judge takes no argument, but got %q", arg)
		}
		return u, nil
	case Queue:
		return queueOf(arg)
	case Beads, Issues:
		return queueOf(text)
	}
	return Until{}, fmt.Errorf("%q is not a strategy; there are %s", strings.TrimSpace(text), Strategies)
}

func queueOf(text string) (Until, error) {
	source, label := split(text)
	u := Until{Kind: Queue, Source: strings.ToLower(source)}
	switch u.Source {
	case "", Beads, Work:
		if label != "" {
			return Until{}, fmt.Errorf("queue %s takes no further argument, but got %q", u.Source, label)
		}
		return u, nil
	case Issues:
		if label == "" {
			return Until{}, fmt.Errorf("name the label of the issues: queue issues:LABEL")
		}
		u.Label = label
		return u, nil
	}
	return Until{}, fmt.Errorf("%q is not a queue; there are beads, issues:LABEL, work", source)
}

// split separates the first word of a text.
func split(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	at := strings.IndexAny(text, " \t:=")
	if at < 0 {
		return text, ""
	}
	rest = strings.TrimSpace(text[at:]) // "fixed : 5" means "fixed 5"
	if rest != "" && (rest[0] == ':' || rest[0] == '=') {
		rest = rest[1:]
	}
	return text[:at], strings.TrimSpace(rest)
}

// String writes a strategy as ParseUntil reads it.
func (u Until) String() string {
	s := string(u.Kind)
	if u.N > 0 {
		s += " " + strconv.Itoa(u.N)
	}
	if u.Source != "" {
		s += " " + u.Source
	}
	if u.Label != "" {
		s += ":" + u.Label
	}
	return s
}
