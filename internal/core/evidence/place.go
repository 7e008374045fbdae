package evidence

import (
	"cmp"
	"slices"
)

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
