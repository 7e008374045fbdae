package evidence

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
)

// Digest reports what happened to requirements since a time.
type Digest struct {
	Since         string       `json:"since"`
	Done          []Item       `json:"done"` // merged, or in an open pull request
	NotDone       []Item       `json:"not_done"`
	Waiting       []Waiting    `json:"waiting"`
	Interventions []Intervened `json:"interventions"`
	PassedOver    []PassedOver `json:"passed_over"` // approved, but not worked on
	Cost          Cost         `json:"cost"`
	Contained     string       `json:"sandbox,omitempty"` // how well the runs were confined
	NoWork        string       `json:"no_work,omitempty"` // when warp last looked for approved work and found none
}

// Item is one requirement. Its result is "" while no end is recorded.
type Item struct {
	Outcome
	At       string `json:"at,omitempty"` // time of the outcome
	Criteria int    `json:"criteria"`
	Met      int    `json:"met"`
	Cost     Cost   `json:"cost"`          // since the digest's start
	Red      string `json:"red,omitempty"` // the test suite fails, with the failing tests
	// Look is what a person should know of work that was accepted, such as tests that pass only in
	// their new version.
	Look string `json:"look,omitempty"`
	// Unused says who gave an answer that could not be used, and why.
	Unused []string `json:"unused_answers,omitempty"`
	// Before are criteria that were met before the work; Decided says what contracts decide beyond the
	// issue's words.
	Before  []string `json:"met_before,omitempty"`
	Decided []string `json:"contracts_decide,omitempty"`
}

// Waiting is something that only a person can do.
type Waiting struct {
	What   string `json:"what"` // todo, default, bug, pull, question, or the kind of process that stopped: drive, loop, …
	Name   string `json:"name,omitempty"`
	Issue  string `json:"issue,omitempty"`
	Number int    `json:"number,omitempty"` // the filed issue's number
	URL    string `json:"url,omitempty"`
	Text   string `json:"text,omitempty"`
	Do     string `json:"do"`
}

// Empty reports whether nothing happened and nothing is waiting.
func (d Digest) Empty() bool {
	return len(d.Done)+len(d.NotDone)+len(d.Waiting)+len(d.Interventions)+len(d.PassedOver) == 0 && d.NoWork == ""
}

func (b *Book) Digest(since time.Time) Digest {
	new := b.Since(since)
	d := Digest{Since: event.Stamp(since), Done: []Item{}, NotDone: []Item{}, Waiting: []Waiting{}, Interventions: rows(new.Interventions), PassedOver: new.passedOver(), Cost: b.Spent(since)}
	for _, issue := range new.worked() {
		item := b.item(issue, new.Of(issue, 0))
		if item.Result.Good() {
			d.Done = append(d.Done, item)
		} else {
			d.NotDone = append(d.NotDone, item)
		}
		if item.Result == Pull {
			d.Waiting = append(d.Waiting, Waiting{What: "pull", Issue: issue, URL: item.Pull, Text: item.Title, Do: cmp.Or(item.Do, DoMerge(nil))})
		}
	}
	for _, e := range new.Filed {
		if b.isSettled(e) {
			continue
		}
		w := Waiting{What: e.Row.What, Issue: e.Row.Issue, Number: e.Row.Number, URL: e.Row.URL, Text: e.Row.Title}
		switch e.Row.What {
		case "todo":
			w.Do = "decide it in issue " + e.Row.Issue + ", then warp drive " + e.Row.Issue
			if taken, ok := new.defaultOf(e.Row); ok {
				w.What, w.Text, w.Do = "default", taken.Question+" → "+taken.Answer, ChangeDefault(taken.Asked)
			}
		case "bug":
			w.Do = "warp evidence " + e.Row.Issue + "; warp drive " + e.Row.Issue + " tries again"
		default:
			continue
		}
		if w.Number > 0 && slices.ContainsFunc(d.Waiting, func(was Waiting) bool { return was.What == w.What && was.Number == w.Number }) {
			continue // an older one, found again
		}
		d.Waiting = append(d.Waiting, w)
	}
	d.Contained = new.contained()
	if e, ok := Last(new.Outcomes, func(o Outcome) bool { return o.Result == NoWork }); ok {
		d.NoWork = e.At
	}
	return d
}

// StoppedTitle is the title of the issue filed when nothing can continue without a person.
const StoppedTitle = "warp-drive: stopped, a person is needed"

// asks reports whether a todo was filed about this decision.
func (f Filed) asks(d Decision) bool {
	return d.Issue == f.Issue && d.Question != "" && f.Title == "todo: "+titleFrom("decision", d.Question)
}

// defaultOf returns the default that was taken for a todo's question.
func (b *Book) defaultOf(todo Filed) (Decision, bool) {
	e, ok := Last(b.Decisions, todo.asks)
	return e.Row, ok && e.Row.IsDefault()
}

// ChangeDefault returns what a person can do about a default that was taken.
func ChangeDefault(asked string) string {
	if asked == "" {
		return "close its issue if that is right; otherwise answer it there"
	}
	return "nothing if that is right; warp answer " + asked + " … changes it"
}

// passedOver lists the approved issues that were not worked on, once each with the newest reason,
// without those taken up later.
func (b *Book) passedOver() (list []PassedOver) {
	list = []PassedOver{}
	worked := b.worked()
	for _, e := range slices.Backward(b.PassedOver) {
		same := func(p PassedOver) bool { return p.Issue == e.Row.Issue }
		if !slices.Contains(worked, e.Row.Issue) && !slices.ContainsFunc(list, same) {
			list = append(list, e.Row)
		}
	}
	slices.Reverse(list)
	return list
}

// isSettled reports whether a filed issue needs no person any more: warp closed it, its question
// was answered, or the requirement ended well.
func (b *Book) isSettled(f Entry[Filed]) bool {
	if _, closed := Last(b.Filed, func(x Filed) bool { return x.What == FiledSettled && x.Number == f.Row.Number }); closed {
		return true
	}
	if _, taken := b.defaultOf(f.Row); taken && f.Row.What == "todo" {
		return false // a person can still change it
	}
	if o, ok := Last(b.Outcomes, func(o Outcome) bool { return o.Issue == f.Row.Issue && (o.Result == Merged || o.Result == Pull) }); ok && o.N > f.N {
		return true
	}
	d, ok := Last(b.Decisions, func(d Decision) bool { return d.Answer != "" && f.Row.asks(d) })
	return ok && f.Row.What == "todo" && d.N > f.N
}

// contained describes how well the runs were confined, in one word if all were alike. A guided
// session works where its person started it: no sandbox of ours can hold it.
func (b *Book) contained() string {
	counts, all := map[string]int{}, 0
	for _, e := range b.Runs {
		how := e.Row.Holds
		if e.Row.Agent == ofSession {
			how = "in your session"
		}
		if how != "" {
			counts[how]++
			all++
		}
	}
	var parts []string
	for _, how := range slices.Sorted(maps.Keys(counts)) {
		if counts[how] == all {
			return how
		}
		parts = append(parts, fmt.Sprintf("%d of %d runs were %s", counts[how], all, how))
	}
	return strings.Join(parts, ", ")
}

// worked lists the requirements with actual work. Merely reading the criteria does not count.
func (b *Book) worked() []string {
	c := *b
	c.Written, c.PassedOver = nil, nil
	return c.Issues()
}

// item describes a requirement by the new part of its evidence.
func (b *Book) item(issue string, new *Book) Item {
	all := b.Account(issue)
	item := Item{Outcome: Outcome{Issue: issue, Title: all.Title}, Criteria: len(all.Criteria), Met: all.Good(), Cost: new.Cost(0), Unused: new.unusedAnswers()}
	for _, p := range all.Criteria {
		if p.Proven != nil && p.Proven.How == BeforeWork {
			item.Before = append(item.Before, p.ID)
		}
		if p.Proven != nil && p.Proven.Decided != "" {
			item.Decided = append(item.Decided, p.ID+": "+p.Proven.Decided)
		}
	}
	o, ended := Last(new.Outcomes, func(Outcome) bool { return true })
	switch {
	case ended && new.wentOn(o.N):
		item.Branch = o.Row.Branch
	case ended:
		item.Outcome, item.At = o.Row, o.At
		item.Title = all.Title
		if reason := b.Of(issue, o.Row.Epoch).Reason(); reason != "" && strings.Contains(item.Why, countedOnly) { // from an older version
			item.Why = reason
		}
	}
	if item.Result.Good() {
		item.Red, item.Look = b.Of(issue, o.Row.Epoch).redSuite(), b.Of(issue, o.Row.Epoch).lookAt()
	}
	return item
}

// lookAt returns what gates that passed before the merge say of the work.
func (b *Book) lookAt() string {
	var list []string
	for _, g := range b.Gates {
		if g.Row.Event == string(drivestate.Merged) && g.Row.Passed && g.Row.Reason != "" && !slices.Contains(list, g.Row.Reason) {
			list = append(list, g.Row.Reason)
		}
	}
	return strings.Join(list, "; ")
}

// ofSession is the agent of the runs that a guided session did itself.
const ofSession = "session"

// countedOnly is the reason that older versions gave for every failed requirement.
const countedOnly = "chunks could not be done"

// wentOn reports whether an agent ran, or something was committed, after row n.
func (b *Book) wentOn(n int) bool {
	return slices.ContainsFunc(b.Runs, func(e Entry[Run]) bool { return e.N > n }) ||
		slices.ContainsFunc(b.Commits, func(e Entry[Commit]) bool { return e.N > n && !e.Row.WIP })
}
