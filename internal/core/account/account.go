// Package account says what a night of drives is to do and has done: which issues in which
// order, what it will probably cost, and the account at its end. A run over many issues
// is a night, and so is one over a single issue, at noon.
package account

import (
	"slices"

	"warp/internal/core/evidence"
)

// Issue is an issue of a night before it begins.
type Issue struct {
	Number   string   `json:"issue"`
	Title    string   `json:"title"`
	Criteria int      `json:"criteria"`          // that are not met yet
	After    []string `json:"after,omitempty"`   // issues of this night that it waits for
	Follows  string   `json:"follows,omitempty"` // why its pull request needs another cycle
	Passed   string   `json:"passed_over,omitempty"`
	Do       string   `json:"do,omitempty"` // what makes it fit
	// Settled: nothing is wrong with it. It is done and waits to be merged, or another
	// drive has it.
	Settled bool `json:"settled,omitempty"`
}

// Split separates what is driven from what is passed over.
func Split(all []Issue) (driven, passed []Issue) {
	for _, i := range all {
		if i.Passed == "" {
			driven = append(driven, i)
		} else {
			passed = append(passed, i)
		}
	}
	return driven, passed
}

// End is what became of one issue.
type End struct {
	Outcome  evidence.Outcome `json:"outcome"`
	MicroUSD int64            `json:"micro_usd"`
	Unpriced bool             `json:"unpriced,omitempty"` // some of its runs did not say what they cost
	Tokens   int64            `json:"tokens"`
	Seconds  float64          `json:"seconds"`
}

// Question is one that a person can still answer, or whose default can still be changed.
type Question struct {
	ID    string `json:"id"`
	Issue string `json:"issue,omitempty"`
	Text  string `json:"text"`
	Taken string `json:"default_taken,omitempty"`
}

// Account is what came of a night.
type Account struct {
	Began    string     `json:"began"`
	Ended    string     `json:"ended"`
	Ends     []End      `json:"ends"`
	Passed   []Issue    `json:"passed_over"`
	Asks     []Question `json:"asks"`
	MicroUSD int64      `json:"micro_usd"`
	Unpriced bool       `json:"unpriced,omitempty"`
	Cap      int64      `json:"cap_micro_usd,omitempty"` // 0: none
	Why      string     `json:"why,omitempty"`           // it ended before its work did
}

// worst are the results in the order in which they decide how a night ends. An issue
// that was given up among others that were merged is Partly: it comes before a person
// who is needed, since the night as a whole went on.
var worst = []evidence.Result{evidence.Stopped, evidence.Budget, evidence.Partly, evidence.Person, evidence.Failed}

// Result is how the night ended as a whole: Merged when all was done that was to be
// done, Partly when some was, else the reason that counts most.
func (a Account) Result() evidence.Result {
	var all []evidence.Result
	for _, e := range a.Ends {
		all = append(all, e.Outcome.Result)
	}
	if slices.ContainsFunc(a.Passed, func(i Issue) bool { return !i.Settled }) {
		all = append(all, evidence.Person)
	}
	isGood := func(r evidence.Result) bool { return r == evidence.Merged || r == evidence.Pull }
	isBad := func(r evidence.Result) bool { return !r.Good() }
	if slices.ContainsFunc(all, isGood) && slices.ContainsFunc(all, isBad) {
		all = append(all, evidence.Partly)
	}
	for _, r := range worst {
		if slices.Contains(all, r) {
			return r
		}
	}
	return evidence.Merged
}
