// Package nightreport describes what a night of drives will do and has done: which issues in which
// order, the estimated cost, and the account at its end. A night is one run over one or many
// issues, at any time of day.
package nightreport

import (
	"slices"

	"warp/internal/core/evidence"
)

// Issue is an issue of a night before it begins.
type Issue struct {
	Number   string   `json:"issue"`
	Title    string   `json:"title"`
	Criteria int      `json:"criteria"`          // not met yet
	After    []string `json:"after,omitempty"`   // issues of this night that it waits for
	Follows  string   `json:"follows,omitempty"` // why its pull request needs another cycle
	Passed   string   `json:"passed_over,omitempty"`
	Do       string   `json:"do,omitempty"` // what makes it fit
	// Settled: nothing is wrong with it. It is done and waits to be merged, or another drive has
	// it.
	Settled bool `json:"settled,omitempty"`
}

// Split separates the issues to drive from those passed over.
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

// End is the outcome of one issue.
type End struct {
	Outcome  evidence.Outcome `json:"outcome"`
	MicroUSD int64            `json:"micro_usd"`
	Unpriced bool             `json:"unpriced,omitempty"` // some of its runs did not report their cost
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

// Report is the outcome of a night.
type Report struct {
	Began    string     `json:"began"`
	Ended    string     `json:"ended"`
	Ends     []End      `json:"ends"`
	Passed   []Issue    `json:"passed_over"`
	Asks     []Question `json:"asks"`
	MicroUSD int64      `json:"micro_usd"`
	Unpriced bool       `json:"unpriced,omitempty"`
	Cap      int64      `json:"cap_micro_usd,omitempty"` // 0: none
	Why      string     `json:"why,omitempty"`           // why it ended early
}

// worst lists the results in the order in which they decide how a night ends. An issue that was
// given up among merged ones is Partly: it comes before a person who is needed, since the night as
// a whole continued.
var worst = []evidence.Result{evidence.Stopped, evidence.Budget, evidence.Partly, evidence.Person, evidence.Failed}

// Result returns how the night ended as a whole: Merged if everything was done, Partly if some was,
// else the most important reason.
func (a Report) Result() evidence.Result {
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

// Conclude returns the outcome of each issue of a night, from the ends of all its drives, oldest
// first. The last end of an issue counts; money and time are those of all its drives: a followed
// pull request has one for each cycle.
func Conclude(book *evidence.Book, ends []evidence.Outcome, now string) (list []End) {
	for i, o := range ends {
		if slices.ContainsFunc(ends[i+1:], func(later evidence.Outcome) bool { return later.Issue == o.Issue }) {
			continue
		}
		e := End{Outcome: o}
		for j, drive := range ends[:i+1] {
			resumed := func(later evidence.Outcome) bool { return later.Issue == o.Issue && later.Epoch == drive.Epoch }
			if drive.Issue == o.Issue && !slices.ContainsFunc(ends[j+1:i+1], resumed) {
				e.add(book, drive, now)
			}
		}
		list = append(list, e)
	}
	return list
}

// add counts the usage of one drive.
func (e *End) add(book *evidence.Book, o evidence.Outcome, now string) {
	page := book.Of(o.Issue, o.Epoch)
	ended := now
	if last, ok := evidence.Last(page.Outcomes, nil); ok {
		ended = last.At
	}
	e.Seconds += between(o.Started, ended).Seconds()
	if o.Epoch == 0 { // it did not begin: the page has every drive of the issue
		return
	}
	for _, r := range page.Runs {
		e.MicroUSD += r.Row.MicroUSD
		e.Unpriced = e.Unpriced || r.Row.Unpriced
		e.Tokens += r.Row.Input + r.Row.Output + r.Row.CacheRead + r.Row.CacheWrite
	}
}
