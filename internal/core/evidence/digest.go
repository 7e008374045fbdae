package evidence

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
)

// Digest is what became of requirements since a time.
type Digest struct {
	Since         string       `json:"since"`
	Done          []Item       `json:"done"` // merged, or a pull request is open
	NotDone       []Item       `json:"not_done"`
	Waiting       []Waiting    `json:"waiting"`
	Interventions []Intervened `json:"interventions"`
	Cost          Cost         `json:"cost"`
	Contained     string       `json:"sandbox,omitempty"` // how well the runs were
	NoWork        string       `json:"no_work,omitempty"` // when approved work was last looked for and not found
}

// Item is one requirement. Its result is "" when no end of it is recorded.
type Item struct {
	Outcome
	At       string `json:"at,omitempty"` // of the outcome
	Criteria int    `json:"criteria"`
	Met      int    `json:"met"`
	Cost     Cost   `json:"cost"`          // since the time
	Red      string `json:"red,omitempty"` // the test suite fails, and which tests do
}

// Waiting is something that only a person can do.
type Waiting struct {
	What   string `json:"what"` // todo, default, bug, pull, drive
	Issue  string `json:"issue,omitempty"`
	Number int    `json:"number,omitempty"` // of what was filed
	URL    string `json:"url,omitempty"`
	Text   string `json:"text,omitempty"`
	Do     string `json:"do"`
}

// Empty reports whether nothing happened and nothing waits.
func (d Digest) Empty() bool {
	return len(d.Done)+len(d.NotDone)+len(d.Waiting)+len(d.Interventions) == 0 && d.NoWork == ""
}

// Digest adds up what happened since a time.
func (b *Book) Digest(since time.Time) Digest {
	new := b.Since(since)
	d := Digest{Since: event.Stamp(since), Done: []Item{}, NotDone: []Item{}, Waiting: []Waiting{}, Interventions: rows(new.Interventions), Cost: new.Cost(0)}
	for _, issue := range new.worked() {
		item := b.item(issue, new.Of(issue, 0))
		if item.Result.Good() {
			d.Done = append(d.Done, item)
		} else {
			d.NotDone = append(d.NotDone, item)
		}
		if item.Result == Pull {
			d.Waiting = append(d.Waiting, Waiting{What: "pull", Issue: issue, URL: item.Pull, Text: item.Title, Do: "review and merge it"})
		}
	}
	for _, e := range new.Filed {
		w := Waiting{What: e.Row.What, Issue: e.Row.Issue, Number: e.Row.Number, URL: e.Row.URL, Text: e.Row.Title}
		switch e.Row.What {
		case "todo":
			w.Do = "decide it in issue " + e.Row.Issue + ", then warp drive " + e.Row.Issue
			if taken, ok := new.defaultOf(e.Row); ok {
				w.What, w.Text, w.Do = "default", taken.Question+" → "+taken.Answer, ChangeDefault(taken.Asked)
			}
		case "bug":
			w.Do = "look at what was given up"
		default:
			continue
		}
		if w.Number > 0 && slices.ContainsFunc(d.Waiting, func(was Waiting) bool { return was.What == w.What && was.Number == w.Number }) {
			continue // an older one that was found again
		}
		d.Waiting = append(d.Waiting, w)
	}
	d.Contained = new.contained()
	if e, ok := Last(new.Outcomes, func(o Outcome) bool { return o.Result == NoWork }); ok {
		d.NoWork = e.At
	}
	return d
}

// defaultOf is the default that was taken for what a todo asks.
func (b *Book) defaultOf(todo Filed) (Decision, bool) {
	e, ok := Last(b.Decisions, func(d Decision) bool {
		return d.Issue == todo.Issue && d.Question != "" && todo.Title == "todo: "+orA("decision", d.Question)
	})
	return e.Row, ok && e.Row.IsDefault()
}

// ChangeDefault says what a person can do about a default that was taken.
func ChangeDefault(asked string) string {
	if asked == "" {
		return "close its issue if that is right; otherwise answer it there"
	}
	return "nothing if that is right; warp answer " + asked + " … changes it"
}

// contained says how well the runs were confined: in one word where all were alike.
func (b *Book) contained() string {
	counts, all := map[string]int{}, 0
	for _, e := range b.Runs {
		if e.Row.Holds != "" {
			counts[e.Row.Holds]++
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

// worked lists the requirements that something was done about: that a person
// read their criteria does not count.
func (b *Book) worked() []string {
	c := *b
	c.Written = nil
	return c.Issues()
}

// item is what became of a requirement, by the new part of what is known of it.
func (b *Book) item(issue string, new *Book) Item {
	all := b.Account(issue)
	item := Item{Outcome: Outcome{Issue: issue, Title: all.Title}, Criteria: len(all.Criteria), Met: all.Good(), Cost: new.Cost(0)}
	o, ended := Last(new.Outcomes, func(Outcome) bool { return true })
	switch {
	case ended && new.wentOn(o.N):
		item.Branch = o.Row.Branch
	case ended:
		item.Outcome, item.At = o.Row, o.At
		item.Title = all.Title
	}
	if item.Result.Good() {
		item.Red = b.Of(issue, o.Row.Epoch).redSuite()
	}
	return item
}

// wentOn reports whether an agent was run, or something committed, after a row.
func (b *Book) wentOn(n int) bool {
	return slices.ContainsFunc(b.Runs, func(e Entry[Run]) bool { return e.N > n }) ||
		slices.ContainsFunc(b.Commits, func(e Entry[Commit]) bool { return e.N > n && !e.Row.WIP })
}
