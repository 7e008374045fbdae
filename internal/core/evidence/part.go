package evidence

import (
	"cmp"
	"slices"
	"time"
)

// about holds the fields that decide which part of the book a row belongs to.
type about struct {
	issue string
	epoch int64
	chunk int
	at    string
}

// Of returns the rows about one requirement in one session; "" and 0 mean all.
func (b *Book) Of(issue string, epoch int64) *Book {
	return b.part(func(a about) bool {
		return (issue == "" || a.issue == issue) && (epoch == 0 || InSession(epoch, a.epoch, a.at))
	})
}

// page is the key of a cached part.
type page struct {
	issue string
	epoch int64
}

// Page caches Of for a book that only Take adds to. In each chunk a drive asks for the same part
// about forty times and takes seven rows, so it scans the book once per row.
func (b *Book) Page(issue string, epoch int64) *Book {
	key := page{issue, epoch}
	if b.pages[key] == nil {
		if b.pages == nil {
			b.pages = map[page]*Book{}
		}
		b.pages[key] = b.Of(issue, epoch)
	}
	own := *b.pages[key] // the caller may change its copy
	return &own
}

// InSession reports whether a row with an epoch and a time belongs to the session. A row's epoch
// decides alone. Rows of older versions have none and belong to the session if written after it
// began; those versions used the same rule, so an upgrade during a drive neither loses nor gains
// evidence.
func InSession(session, epoch int64, at string) bool {
	if epoch != 0 {
		return epoch == session
	}
	t, err := time.Parse(time.RFC3339, at)
	return err == nil && t.UnixMilli() >= session
}

// Since returns the rows written since a time. It is only for reports: nothing is decided from it.
func (b *Book) Since(from time.Time) *Book {
	return b.part(func(a about) bool {
		t, err := time.Parse(time.RFC3339, a.at)
		return err == nil && !t.Before(from)
	})
}

// Chunk returns the rows about one chunk.
func (b *Book) Chunk(n int) *Book { return b.part(func(a about) bool { return a.chunk == n }) }

func (b *Book) part(fits func(about) bool) *Book {
	return &Book{
		Runs:          only(b.Runs, fits, func(r *Run) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Plans:         only(b.Plans, fits, func(r *Plan) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Verdicts:      only(b.Verdicts, fits, func(r *Verdict) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Gates:         only(b.Gates, fits, func(r *Gate) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Tests:         only(b.Tests, fits, func(r *Tested) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Commits:       only(b.Commits, fits, func(r *Commit) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Filed:         only(b.Filed, fits, func(r *Filed) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Interventions: only(b.Interventions, fits, func(r *Intervened) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Decisions:     only(b.Decisions, fits, func(r *Decision) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Skips:         only(b.Skips, fits, func(r *Skipped) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Outcomes:      only(b.Outcomes, fits, func(r *Outcome) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		PassedOver:    only(b.PassedOver, fits, func(r *PassedOver) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Unasked:       only(b.Unasked, fits, func(r *Unasked) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Checks:        only(b.Checks, fits, func(r *Check) about { return about{issue: r.Issue, epoch: r.Epoch, chunk: r.Chunk} }),
		Landed:        only(b.Landed, fits, func(r *Landed) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Follows:       only(b.Follows, fits, func(r *Follow) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Written:       only(b.Written, fits, func(r *Written) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Ticks:         only(b.Ticks, fits, func(r *Tick) about { return about{issue: r.Issue, epoch: r.Epoch} }),
		Chunks:        only(b.Chunks, fits, func(r *Chunked) about { return about{issue: r.Issue} }),
	}
}

// only lists the entries that fit. They are usually adjacent, and then not copied.
func only[T any](list []Entry[T], fits func(about) bool, of func(*T) about) (out []Entry[T]) {
	begin, shared := 0, true
	for i := range list {
		a := of(&list[i].Row)
		if a.at = list[i].At; !fits(a) {
			continue
		}
		if len(out) == 0 {
			begin = i
		}
		if shared = shared && begin+len(out) == i; shared {
			out = list[begin : i+1 : i+1]
		} else {
			out = append(out, list[i])
		}
	}
	return slices.Clip(out) // so that readers of one page can append without sharing
}

// Clone returns a copy; appending to either does not change the other.
func (b *Book) Clone() *Book {
	return &Book{
		taken: b.taken, Left: b.Left,
		Runs: slices.Clip(b.Runs), Others: slices.Clip(b.Others), Plans: slices.Clip(b.Plans), Verdicts: slices.Clip(b.Verdicts), Gates: slices.Clip(b.Gates),
		Tests: slices.Clip(b.Tests), Commits: slices.Clip(b.Commits), Filed: slices.Clip(b.Filed), Interventions: slices.Clip(b.Interventions), Undone: slices.Clip(b.Undone),
		Decisions: slices.Clip(b.Decisions), Skips: slices.Clip(b.Skips), Outcomes: slices.Clip(b.Outcomes), PassedOver: slices.Clip(b.PassedOver), Written: slices.Clip(b.Written),
		Unasked: slices.Clip(b.Unasked), Checks: slices.Clip(b.Checks), Landed: slices.Clip(b.Landed), Follows: slices.Clip(b.Follows), Ticks: slices.Clip(b.Ticks), Chunks: slices.Clip(b.Chunks),
	}
}

// Chunked lists the criteria of a chunk, from a journal row or the drive's document.
type Chunked struct {
	Issue    string
	Chunk    int
	Criteria []string
}

// places holds every entry that names the criteria of a chunk, in order.
type places []Entry[Chunked]

func (b *Book) places() places {
	all := slices.Clone(b.Chunks)
	add := func(n int, at, issue string, chunk int, ids []string) {
		if chunk > 0 && len(ids) > 0 {
			all = append(all, Entry[Chunked]{n, at, Chunked{issue, chunk, ids}})
		}
	}
	for _, e := range b.Runs {
		add(e.N, e.At, e.Row.Issue, e.Row.Chunk, e.Row.Criteria)
	}
	for _, e := range b.Commits {
		add(e.N, e.At, e.Row.Issue, e.Row.Chunk, e.Row.Criteria)
	}
	for _, e := range b.Skips {
		add(e.N, e.At, e.Row.Issue, e.Row.Chunk, e.Row.Criteria)
	}
	slices.SortStableFunc(all, func(x, y Entry[Chunked]) int { return cmp.Compare(x.N, y.N) })
	return all
}

// byChunk returns the entries of each chunk: a page is written again after each, so it may not look
// through all of them for each row.
func (p places) byChunk() map[int]places {
	of := map[int]places{}
	for _, e := range p {
		of[e.Row.Chunk] = append(of[e.Row.Chunk], e)
	}
	return of
}

// criteria returns the criteria that a chunk had at place n: from the last entry before it, or else
// the first after it. Each session numbers its chunks from 1.
func (p places) criteria(chunk, n int) (ids []string) {
	if chunk < 1 {
		return nil
	}
	for _, e := range p {
		if e.Row.Chunk == chunk && (ids == nil || e.N <= n) {
			ids = e.Row.Criteria
		}
	}
	return ids
}
