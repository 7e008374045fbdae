// Package supervise is the supervisor's judgement: what a conflict is, what is
// done about it, and the checks of a diff that need no model. It is pure: the
// diff, the claims and what others found (secrets, a model's verdict) come in as
// values. Checking what an agent is asked, fixing and re-planning are left to
// the engine.
package supervise

import (
	"slices"
	"strings"
)

// Type is the kind of a conflict.
type Type string

// The types of conflicts.
const (
	Architecture Type = "architecture"
	Dependency   Type = "dependency"
	API          Type = "api"
	Security     Type = "security"
	Pattern      Type = "pattern"
)

// Types lists them in the document's order.
func Types() []Type { return []Type{Architecture, Dependency, API, Security, Pattern} }

// Severity is how bad a conflict is; "" is not at all.
type Severity string

// The severities.
const (
	Critical Severity = "critical"
	High     Severity = "high"
	Low      Severity = "low"
	None     Severity = ""
)

// Action is what is done about a conflict.
type Action string

// The actions, from the least careful to the most.
const (
	Pass    Action = "pass"
	AutoFix Action = "auto_fix"
	RePlan  Action = "re_plan"
)

// Conflict is something in a plan or a diff that the repository does not want.
type Conflict struct {
	Type     Type
	Severity Severity
	Detail   string   // a sentence, with names from the diff
	Files    []string // where it is
	Proposed Action   // what the agent that found it would do; "": it has no opinion
}

// maxReplans bounds how often the supervisor has the plan of one task rewritten.
// Then a person must decide.
const maxReplans = 3

// rank orders actions by care, severities by weight. What is not known is the
// most: nothing passes because it is misspelt.
func rank[T ~string](order []T, x T) int {
	if at := slices.Index(order, x); at >= 0 {
		return at
	}
	return len(order)
}

var (
	byCare   = []Action{Pass, AutoFix, RePlan}
	byWeight = []Severity{None, Low, High, Critical}
)

// table says what is done about a conflict of each severity, whatever its type.
// A type that is to be treated otherwise gets its own row.
var table = []struct {
	severity Severity
	action   Action
}{
	{None, Pass},
	{Low, AutoFix},
	{High, RePlan},
	{Critical, RePlan},
}

// Decide is what is done about a conflict. The agent that found it can make that
// more careful, never less.
func Decide(c Conflict) Action {
	action := RePlan
	for _, r := range table {
		if r.severity == c.Severity {
			action = r.action
		}
	}
	if c.Proposed != "" && rank(byCare, c.Proposed) > rank(byCare, action) {
		action = RePlan
		if slices.Contains(byCare, c.Proposed) {
			action = c.Proposed
		}
	}
	return action
}

// Ruling is what is done about all conflicts of a check.
type Ruling struct {
	Action   Action
	Conflict Conflict // the one that decided; the zero value when there was none
	Person   bool     // the task was re-planned too often: pause and ask
}

// Rule decides on a check's conflicts by the gravest of them. replans is how
// often the task was re-planned already.
func Rule(conflicts []Conflict, replans int) Ruling {
	r := Ruling{Action: Pass}
	for i, c := range conflicts {
		action := Decide(c)
		graver := rank(byCare, action) - rank(byCare, r.Action)
		if graver == 0 {
			graver = rank(byWeight, c.Severity) - rank(byWeight, r.Conflict.Severity)
		}
		if graver > 0 || i == 0 {
			r.Action, r.Conflict = action, c
		}
	}
	r.Person = r.Action == RePlan && replans >= maxReplans
	return r
}

// TypeOf and SeverityOf take an agent's words for one of ours; what is none is
// taken seriously.
func TypeOf(words string) Type {
	for _, t := range Types() {
		if strings.EqualFold(words, string(t)) {
			return t
		}
	}
	return Pattern
}

func SeverityOf(words string) Severity {
	switch s := Severity(strings.ToLower(words)); s {
	case Critical, High, Low, None:
		return s
	case "none", "info":
		return None
	}
	return High
}
