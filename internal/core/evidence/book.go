package evidence

import (
	"cmp"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Entry is one row with its place in the book. Their order is given by N and
// never by At, which is for people: clocks are set back.
type Entry[T any] struct {
	N   int // 1 for the first row of any kind; 0: no row has it
	At  string
	Row T
}

// Book is everything that the journal has about the work on requirements, in
// the order in which it happened.
type Book struct {
	taken         int // rows so far
	Left          int // rows of proof that do not count: no process with the key wrote them
	Runs          []Entry[Run]
	Others        []Entry[Run] // of work on no requirement, such as a session's
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
	PassedOver    []Entry[PassedOver]
	Written       []Entry[Written]
	Ticks         []Entry[Tick]
	Chunks        []Entry[Chunked] // as a drive's document has them; no row does
}

// Take adds one row of the journal; rows of other kinds, and those that cannot
// be read, are passed over.
//
// A row of proof counts when it is signed, if its reader can check that: an agent
// can append any row, with a right checksum (at the first release it merged its own
// work so). What an agent made cheaper than free is left out as well.
func (b *Book) Take(r event.Row) {
	b.taken++
	if proves(r.Kind) && !r.Counts() || negative(r) {
		b.Left++
		return
	}
	switch r.Kind {
	case event.Run:
		if r.Data.Get("work").Text() != "" {
			take(&b.Others, b.taken, r)
			return
		}
		take(&b.Runs, b.taken, r)
	case event.Plan:
		take(&b.Plans, b.taken, r)
	case event.Verdict:
		take(&b.Verdicts, b.taken, r)
	case event.Gate:
		take(&b.Gates, b.taken, r)
	case event.Tested:
		take(&b.Tests, b.taken, r)
	case event.Commit:
		take(&b.Commits, b.taken, r)
		b.rebased()
	case event.Filed:
		take(&b.Filed, b.taken, r)
	case event.Intervened:
		if r.Data.Get("work").Text() == "" {
			take(&b.Interventions, b.taken, r)
		}
	case event.Decision:
		take(&b.Decisions, b.taken, r)
	case event.Skipped:
		take(&b.Skips, b.taken, r)
	case event.Outcome:
		take(&b.Outcomes, b.taken, r)
	case event.PassedOver:
		take(&b.PassedOver, b.taken, r)
	case event.Criteria:
		take(&b.Written, b.taken, r)
	case event.Criterion:
		take(&b.Ticks, b.taken, r)
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
			last.N, last.At = b.Commits[i].N, b.Commits[i].At
			b.Commits[i] = last
			b.Commits = b.Commits[:n]
			return
		}
	}
}

func take[T any](list *[]Entry[T], n int, r event.Row) {
	e := Entry[T]{N: n, At: r.At}
	if r.Data != nil && lossless.Decode(r.Data, &e.Row) == nil {
		*list = append(*list, e)
	}
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

// Last returns the newest row that fits, or the newest of all when fits is nil;
// false when there is none.
func Last[T any](list []Entry[T], fits func(T) bool) (Entry[T], bool) {
	for _, e := range slices.Backward(list) {
		if fits == nil || fits(e.Row) {
			return e, true
		}
	}
	return Entry[T]{}, false
}
