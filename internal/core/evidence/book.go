package evidence

import (
	"cmp"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Entry is one row with its place in the book. N gives the order and never At, which is for people:
// clocks get set back.
type Entry[T any] struct {
	N   int // 1 for the first row of any kind; 0 if no row has it
	At  string
	Row T
}

// Book is everything the journal holds about the work on requirements, in order.
type Book struct {
	taken         int // rows so far
	pages         map[page]*Book
	Left          int // rows of proof that do not count, as no process with the key wrote them
	Runs          []Entry[Run]
	Others        []Entry[Run] // work without a requirement, such as a session's
	Plans         []Entry[Plan]
	Verdicts      []Entry[Verdict]
	Gates         []Entry[Gate]
	Tests         []Entry[Tested]
	Commits       []Entry[Commit]
	Filed         []Entry[Filed]
	Interventions []Entry[Intervened]
	Undone        []Entry[Intervened] // work without a requirement
	Decisions     []Entry[Decision]
	Skips         []Entry[Skipped]
	Outcomes      []Entry[Outcome]
	PassedOver    []Entry[PassedOver]
	Unasked       []Entry[Unasked]
	Checks        []Entry[Check]
	Landed        []Entry[Landed]
	Follows       []Entry[Follow]
	Written       []Entry[Written]
	Ticks         []Entry[Tick]
	Chunks        []Entry[Chunked] // from the drive's document, not from rows
}

// Take adds one row of the journal, and skips unreadable rows and other kinds.
//
// If the reader can check signatures, a row of proof counts only when signed: an agent can append
// any row with a valid checksum (in the first release, one merged its own work that way). Runs with
// a negative cost do not count either.
func (b *Book) Take(r event.Row) {
	b.taken++
	b.pages = nil
	if proves(r.Kind) && !r.Counts() || negative(r) {
		b.Left++
		return
	}
	if into, known := takers[r.Kind]; known {
		into(b, r)
	}
}

// takers add a row of each kind to its list.
var takers = map[string]func(*Book, event.Row){
	event.Run: func(b *Book, r event.Row) {
		list := &b.Runs
		if r.Data.Get("work").Text() != "" {
			list = &b.Others
		}
		before := len(*list)
		take(list, b.taken, r)
		for i := range (*list)[before:] {
			(*list)[before+i].Row.bound()
		}
	},
	event.Commit: func(b *Book, r event.Row) {
		take(&b.Commits, b.taken, r)
		b.rebased()
	},
	event.Filed: func(b *Book, r event.Row) {
		take(&b.Filed, b.taken, r)
		b.settled()
	},
	event.Intervened: func(b *Book, r event.Row) {
		if r.Data.Get("work").Text() == "" {
			take(&b.Interventions, b.taken, r)
		} else {
			take(&b.Undone, b.taken, r)
		}
	},
	event.Plan:       func(b *Book, r event.Row) { take(&b.Plans, b.taken, r) },
	event.Verdict:    func(b *Book, r event.Row) { take(&b.Verdicts, b.taken, r) },
	event.Gate:       func(b *Book, r event.Row) { take(&b.Gates, b.taken, r) },
	event.Tested:     func(b *Book, r event.Row) { take(&b.Tests, b.taken, r) },
	event.Decision:   func(b *Book, r event.Row) { take(&b.Decisions, b.taken, r) },
	event.Skipped:    func(b *Book, r event.Row) { take(&b.Skips, b.taken, r) },
	event.Outcome:    func(b *Book, r event.Row) { take(&b.Outcomes, b.taken, r) },
	event.PassedOver: func(b *Book, r event.Row) { take(&b.PassedOver, b.taken, r) },
	event.Unasked:    func(b *Book, r event.Row) { take(&b.Unasked, b.taken, r) },
	event.Check:      func(b *Book, r event.Row) { take(&b.Checks, b.taken, r) },
	event.Landed:     func(b *Book, r event.Row) { take(&b.Landed, b.taken, r) },
	event.Follow:     func(b *Book, r event.Row) { take(&b.Follows, b.taken, r) },
	event.Criteria:   func(b *Book, r event.Row) { take(&b.Written, b.taken, r) },
	event.Criterion:  func(b *Book, r event.Row) { take(&b.Ticks, b.taken, r) },
}

// settled drops the row that an issue's closing began, once it has ended.
func (b *Book) settled() {
	n := len(b.Filed) - 1
	if n < 0 || b.Filed[n].Row.What != FiledSettled {
		return
	}
	number := b.Filed[n].Row.Number
	began := func(f Entry[Filed]) bool { return f.Row.What == FiledSettling && f.Row.Number == number }
	if slices.ContainsFunc(b.Filed, began) {
		b.Filed = slices.DeleteFunc(slices.Clone(b.Filed), began)
	}
}

// rebased replaces a commit by the one that a rebase made from it.
func (b *Book) rebased() {
	n := len(b.Commits) - 1
	if n < 0 || b.Commits[n].Row.Was == "" {
		return
	}
	last := b.Commits[n]
	for i := range n {
		if b.Commits[i].Row.Hash == last.Row.Was {
			last.N, last.At = b.Commits[i].N, b.Commits[i].At
			b.Commits = slices.Clone(b.Commits[:n]) // parts and copies of the book share the slice
			b.Commits[i] = last
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

// Issues lists the requirements with evidence, by number.
func (b *Book) Issues() (list []string) {
	all := *b
	all.Chunks = nil // the drive's document is no evidence
	all.part(func(a about) bool {
		if a.issue != "" && !slices.Contains(list, a.issue) {
			list = append(list, a.issue)
		}
		return false
	})
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)) })
	return list
}

// Last returns the newest row that fits (any row if fits is nil), and whether there is one.
func Last[T any](list []Entry[T], fits func(T) bool) (Entry[T], bool) {
	for _, e := range slices.Backward(list) {
		if fits == nil || fits(e.Row) {
			return e, true
		}
	}
	return Entry[T]{}, false
}
