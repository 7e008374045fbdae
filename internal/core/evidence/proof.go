package evidence

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Status is the state of a criterion.
type Status string

const (
	Met     Status = "met"         // committed, and nothing contradicts it since
	Checked Status = "checked_off" // in the tracker; no commit of a headless drive names it
	GivenUp Status = "given_up"
	Open    Status = "open"
)

// Good reports whether the criterion is met.
func (s Status) Good() bool { return s == Met || s == Checked }

func (s Status) String() string { return strings.ReplaceAll(string(s), "_", " ") }

// Proof is the evidence about one criterion.
type Proof struct {
	ID      string   `json:"id"`
	Text    string   `json:"text,omitempty"`
	Status  Status   `json:"status"`
	Met     bool     `json:"met"`
	Why     string   `json:"why,omitempty"`  // why it was given up
	Kept    string   `json:"kept,omitempty"` // the commit or reference that keeps its partial work
	With    []string `json:"with,omitempty"` // criteria of the same chunk, which share gates, tests and cost
	Commits []Commit `json:"commits"`
	Gates   []Gate   `json:"gates"`
	Tests   []Tested `json:"tests"`
	Verdict *Verdict `json:"verdict,omitempty"` // the last
	// Earlier are the verdicts before the last one, and Objections what the chunk's author said
	// against them.
	Earlier    []Verdict `json:"earlier_verdicts,omitempty"`
	Objections []string  `json:"objections,omitempty"`
	Cost       Cost      `json:"cost"`
	Proven     *Proven   `json:"proven,omitempty"` // nil: no one wrote a contract for it
}

// Account is the evidence about one requirement.
type Account struct {
	Issue         string        `json:"issue"`
	Title         string        `json:"title,omitempty"`
	Outcome       *Outcome      `json:"outcome,omitempty"` // the last
	Criteria      []Proof       `json:"criteria"`
	Commits       []Commit      `json:"commits"`
	Gates         []Gate        `json:"gates"`
	Tests         []Tested      `json:"tests"`
	Interventions []Intervened  `json:"interventions"`
	Decisions     []Decision    `json:"decisions"`
	Unasked       []UnaskedFile `json:"unasked,omitempty"`
	Unused        []string      `json:"unused_answers,omitempty"` // who gave an answer that could not be used, and why
	Filed         []Filed       `json:"filed"`
	Cost          Cost          `json:"cost"`
	Contained     string        `json:"sandbox,omitempty"` // how well its runs were confined
}

// Account collects the book's evidence about one requirement.
func (b *Book) Account(issue string) Account {
	b = b.Of(issue, 0)
	a := Account{
		Issue: issue, Cost: b.Cost(0), Contained: b.contained(),
		Commits: rows(b.Commits), Gates: rows(b.Gates), Tests: rows(b.Tests),
		Interventions: rows(b.Interventions), Decisions: rows(b.Decisions), Filed: rows(b.Filed),
		Unasked: b.UnaskedFiles(), Unused: b.unusedAnswers(),
	}
	for _, e := range b.Outcomes {
		a.Outcome = &e.Row
		if e.Row.Title != "" {
			a.Title = e.Row.Title
		}
	}
	a.Criteria = b.proofs()
	return a
}

// Good counts the criteria that are met.
func (a Account) Good() (n int) {
	for _, p := range a.Criteria {
		if p.Met {
			n++
		}
	}
	return n
}

func rows[T any](list []Entry[T]) []T {
	out := make([]T, 0, len(list))
	for _, e := range list {
		out = append(out, e.Row)
	}
	return out
}

// criteria returns the issue's criteria as last read, followed by those that only evidence names.
func (b *Book) criteria() (list []Criterion) {
	for _, e := range b.Written {
		list = e.Row.Criteria
	}
	list = slices.Clone(list)
	add := func(ids ...string) {
		for _, id := range ids {
			if id != "" && !slices.ContainsFunc(list, func(c Criterion) bool { return c.ID == id }) {
				list = append(list, Criterion{ID: id})
			}
		}
	}
	for _, e := range b.Verdicts {
		add(e.Row.ID)
	}
	for _, e := range b.Commits {
		add(e.Row.Criteria...)
	}
	for _, e := range b.Skips {
		add(e.Row.Criteria...)
	}
	for _, e := range b.Ticks {
		add(e.Row.ID)
	}
	return list
}

// proofs assigns each row to the criteria it is about.
func (b *Book) proofs() []Proof {
	list, named := []Proof{}, map[string]int{}
	for i, c := range b.criteria() {
		named[c.ID] = i
		p := Proof{ID: c.ID, Text: c.Text, Commits: []Commit{}, Gates: []Gate{}, Tests: []Tested{}}
		var given Skipped
		p.Status, given = b.status(c.ID)
		p.Met, p.Why, p.Kept = p.Status.Good(), given.Why, given.Kept
		list = append(list, p)
	}
	each := func(ids []string, give func(*Proof)) {
		for _, id := range ids {
			if i, there := named[id]; there {
				give(&list[i])
			}
		}
	}
	all := b.places()
	at := all.byChunk()
	for _, e := range all {
		each(e.Row.Criteria, func(p *Proof) { p.With = text.Without(e.Row.Criteria, []string{p.ID}) })
	}
	for _, e := range b.Commits {
		each(e.Row.Criteria, func(p *Proof) { p.Commits = append(p.Commits, e.Row) })
	}
	for _, e := range b.Verdicts {
		each([]string{e.Row.ID}, func(p *Proof) {
			if v := p.Verdict; v != nil && (v.Met != e.Row.Met || v.Reason != e.Row.Reason) {
				p.Earlier = append(p.Earlier, *v)
			}
			p.Verdict = &e.Row
		})
	}
	for _, e := range b.Checks {
		each([]string{e.Row.ID}, func(p *Proof) { p.Proven = p.Proven.after(e.Row) })
	}
	for _, e := range b.Runs {
		each(at[e.Row.Chunk].criteria(e.Row.Chunk, e.N), func(p *Proof) {
			p.Cost.Add(e.Row)
			if e.Row.Objection != "" && !slices.Contains(p.Objections, e.Row.Objection) {
				p.Objections = append(p.Objections, e.Row.Objection)
			}
		})
	}
	for _, e := range b.Gates {
		if e.Row.ofChunk() {
			each(at[e.Row.Chunk].criteria(e.Row.Chunk, e.N), func(p *Proof) { p.Gates = append(p.Gates, e.Row) })
		}
	}
	for _, e := range b.Tests {
		if e.Row.OfChunk() {
			each(at[e.Row.Chunk].criteria(e.Row.Chunk, e.N), func(p *Proof) { p.Tests = append(p.Tests, e.Row) })
		}
	}
	slices.SortStableFunc(list, func(a, b Proof) int { return b.Proven.first() - a.Proven.first() })
	return list
}

// status returns the state that the newest row gives a criterion. A verdict alone does not make it
// met: uncommitted work is not done.
func (b *Book) status(id string) (s Status, given Skipped) {
	s, at := Open, 0
	newer := func(n int) bool {
		if n < at {
			return false
		}
		at = n
		return true
	}
	if c, ok := Last(b.Commits, func(c Commit) bool { return !c.WIP && slices.Contains(c.Criteria, id) }); ok && newer(c.N) {
		s = Met
	}
	if v, ok := Last(b.Verdicts, func(v Verdict) bool { return v.ID == id }); ok && !v.Row.Met && v.N > at {
		at, s = v.N, Open
	}
	if t, ok := Last(b.Ticks, func(t Tick) bool { return t.ID == id }); ok && newer(t.N) {
		switch {
		case !t.Row.Checked:
			s = Open
		case s == Open && len(b.Runs) == 0: // a headless drive counts only its own commits
			s = Checked
		}
	}
	if g, ok := Last(b.Skips, func(g Skipped) bool { return slices.Contains(g.Criteria, id) }); ok && newer(g.N) {
		return GivenUp, g.Row
	}
	return s, given
}
