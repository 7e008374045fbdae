// Package supervise decides what a conflict is and what to do about it, and checks diffs without a
// model. It does no I/O: the diff, the claims and other findings (secrets, a model's verdict) come
// in as values. The engine checks what an agent is asked, fixes and re-plans.
package supervise

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

type Type string

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

const (
	Critical Severity = "critical"
	High     Severity = "high"
	Low      Severity = "low"
	None     Severity = ""
)

// Action is what to do about a conflict.
type Action string

// The actions, from the least careful to the most.
const (
	Pass    Action = "pass"
	AutoFix Action = "auto_fix"
	RePlan  Action = "re_plan"
)

// Conflict is something unwanted in a plan or a diff.
type Conflict struct {
	Type     Type
	Severity Severity
	Detail   string   // a sentence, with names from the diff
	Files    []string // where it is
	Proposed Action   // what the agent that found it suggests; "" if nothing
}

// rank orders actions by care, severities by weight. Unknown values rank highest: nothing passes
// because it is misspelt.
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

// table is the action for each severity, whatever the type.
var table = lazy.Table[Severity, Action]{{None, Pass}, {Low, AutoFix}, {High, RePlan}, {Critical, RePlan}}

// Decide returns the action on a conflict. The agent that found it can make that more careful,
// never less.
func Decide(c Conflict) Action {
	action := cmp.Or(table.Get(c.Severity), RePlan)
	if c.Proposed != "" && rank(byCare, c.Proposed) > rank(byCare, action) {
		action = RePlan
		if slices.Contains(byCare, c.Proposed) {
			action = c.Proposed
		}
	}
	return action
}

// Ruling is the decision about all conflicts of a check.
type Ruling struct {
	Action   Action
	Conflict Conflict // the one that decided; the zero value if there was none
}

// Rule decides on a check's conflicts by the most severe one.
func Rule(conflicts []Conflict) Ruling {
	r := Ruling{Action: Pass}
	for i, c := range conflicts {
		action := Decide(c)
		graver := cmp.Or(rank(byCare, action)-rank(byCare, r.Action), rank(byWeight, c.Severity)-rank(byWeight, r.Conflict.Severity))
		if graver > 0 || i == 0 {
			r.Action, r.Conflict = action, c
		}
	}
	return r
}

// TypeOf and SeverityOf map an agent's words to ours; unknown words are taken seriously.
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
