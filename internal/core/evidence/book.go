package evidence

import (
	"cmp"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Entry is one row with the time it was written.
type Entry[T any] struct {
	At  string
	Row T
}

// Book is everything that the journal has about the work on requirements, in
// the order in which it happened.
type Book struct {
	Runs          []Entry[Run]
	Plans         []Entry[Plan]
	Verdicts      []Entry[Verdict]
	Gates         []Entry[Gate]
	Tests         []Entry[Tested]
	Commits       []Entry[Commit]
	Filed         []Entry[Filed]
	Interventions []Entry[Intervened]
	Decisions     []Entry[Decision]
	Skips         []Entry[Skipped]
	Outcomes      []Entry[Outcome]
	Written       []Entry[Written]
	Ticks         []Entry[Tick]
	Chunks        []Entry[Chunked] // as a drive's document has them; no row does
}

// Take adds one row of the journal; rows of other kinds, and those that cannot
// be read, are passed over.
func (b *Book) Take(r event.Row) {
	switch r.Kind {
	case event.Run:
		take(&b.Runs, r)
	case event.Plan:
		take(&b.Plans, r)
	case event.Verdict:
		take(&b.Verdicts, r)
	case event.Gate:
		take(&b.Gates, r)
	case event.Tested:
		take(&b.Tests, r)
	case event.Commit:
		take(&b.Commits, r)
		b.rebased()
	case event.Filed:
		take(&b.Filed, r)
	case event.Intervened:
		take(&b.Interventions, r)
	case event.Decision:
		take(&b.Decisions, r)
	case event.Skipped:
		take(&b.Skips, r)
	case event.Outcome:
		take(&b.Outcomes, r)
	case event.Criteria:
		take(&b.Written, r)
	case event.Criterion:
		take(&b.Ticks, r)
	}
}

// rebased lets the commit that a rebase has made stand for the one that it was.
func (b *Book) rebased() {
	n := len(b.Commits) - 1
	if n < 0 || b.Commits[n].Row.Was == "" {
		return
	}
	last := b.Commits[n]
	for i := range n {
		if b.Commits[i].Row.Hash == last.Row.Was {
			last.At = b.Commits[i].At
			b.Commits[i] = last
			b.Commits = b.Commits[:n]
			return
		}
	}
}

func take[T any](list *[]Entry[T], r event.Row) {
	e := Entry[T]{At: r.At}
	if r.Data != nil && lossless.Decode(r.Data, &e.Row) == nil {
		*list = append(*list, e)
	}
}

// Of is the part of a book that is about one requirement, since a time; "" for
// either means all.
func (b *Book) Of(issue, since string) *Book {
	return &Book{
		Runs:          only(b.Runs, since, issue, func(r Run) string { return r.Issue }),
		Plans:         only(b.Plans, since, issue, func(r Plan) string { return r.Issue }),
		Verdicts:      only(b.Verdicts, since, issue, func(r Verdict) string { return r.Issue }),
		Gates:         only(b.Gates, since, issue, func(r Gate) string { return r.Issue }),
		Tests:         only(b.Tests, since, issue, func(r Tested) string { return r.Issue }),
		Commits:       only(b.Commits, since, issue, func(r Commit) string { return r.Issue }),
		Filed:         only(b.Filed, since, issue, func(r Filed) string { return r.Issue }),
		Interventions: only(b.Interventions, since, issue, func(r Intervened) string { return r.Issue }),
		Decisions:     only(b.Decisions, since, issue, func(r Decision) string { return r.Issue }),
		Skips:         only(b.Skips, since, issue, func(r Skipped) string { return r.Issue }),
		Outcomes:      only(b.Outcomes, since, issue, func(r Outcome) string { return r.Issue }),
		Written:       only(b.Written, since, issue, func(r Written) string { return r.Issue }),
		Ticks:         only(b.Ticks, since, issue, func(r Tick) string { return r.Issue }),
		Chunks:        only(b.Chunks, since, issue, func(r Chunked) string { return r.Issue }),
	}
}

func only[T any](list []Entry[T], since, issue string, of func(T) string) (out []Entry[T]) {
	for _, e := range list {
		if (issue == "" || of(e.Row) == issue) && e.At >= since {
			out = append(out, e)
		}
	}
	return out
}

// Issues lists the requirements that there is evidence about, by number.
func (b *Book) Issues() (list []string) {
	add := func(issue string) {
		if issue != "" && !slices.Contains(list, issue) {
			list = append(list, issue)
		}
	}
	each(b.Written, func(r Written) { add(r.Issue) })
	each(b.Plans, func(r Plan) { add(r.Issue) })
	each(b.Runs, func(r Run) { add(r.Issue) })
	each(b.Verdicts, func(r Verdict) { add(r.Issue) })
	each(b.Gates, func(r Gate) { add(r.Issue) })
	each(b.Tests, func(r Tested) { add(r.Issue) })
	each(b.Commits, func(r Commit) { add(r.Issue) })
	each(b.Ticks, func(r Tick) { add(r.Issue) })
	each(b.Filed, func(r Filed) { add(r.Issue) })
	each(b.Interventions, func(r Intervened) { add(r.Issue) })
	each(b.Decisions, func(r Decision) { add(r.Issue) })
	each(b.Skips, func(r Skipped) { add(r.Issue) })
	each(b.Outcomes, func(r Outcome) { add(r.Issue) })
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
	return list
}

func each[T any](list []Entry[T], fn func(T)) {
	for _, e := range list {
		fn(e.Row)
	}
}

// Last returns the newest row that fits; false when there is none.
func Last[T any](list []Entry[T], fits func(T) bool) (Entry[T], bool) {
	for _, e := range slices.Backward(list) {
		if fits(e.Row) {
			return e, true
		}
	}
	return Entry[T]{}, false
}
