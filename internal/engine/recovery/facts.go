package recovery

import (
	"slices"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// facts are all that is known of the chunks of a drive, from wherever: commits, the
// state, the journal, the tracker. What is made of them is decided without asking
// further.
type facts struct {
	branch  string
	commits []string
	total   int
	chunks  map[int]*chunk       // from 1
	written []criteria.Criterion // as the issue has them, with their boxes
	older   []string             // criteria that earlier sessions committed
	plan    [][]string
	wip     int  // the chunk whose work in progress is the last commit
	most    int  // criteria of a chunk
	drift   bool // documents are checked after a commit
}

// chunk is what is known of one chunk.
type chunk struct {
	done     bool     // it is committed
	skipped  bool     // it was given up
	ids      []string // its criteria, as the commit or what gave it up says; nil: that does not say
	known    []string // its criteria, as the state or the journal have them
	vouched  bool     // the state or the journal know of it
	reported bool
}

// isUnnamed tells of a chunk that was given up that its criteria are not known.
func (c *chunk) isUnnamed() bool { return c.skipped && len(c.ids) == 0 }

// at is what is known of a chunk.
func (f facts) at(k int) *chunk {
	if f.chunks[k] == nil {
		f.chunks[k] = &chunk{}
	}
	return f.chunks[k]
}

// last is the last chunk that is dealt with.
func (f facts) last() int {
	n := f.wip
	for k, c := range f.chunks {
		if c.done || c.skipped {
			n = max(n, k)
		}
	}
	return n
}

// recovered is the state that the drive resumes from: after its last committed
// chunk, with what is left to do split as it was.
func (f facts) recovered() turnstile.Recovered {
	r := turnstile.Recovered{Commits: f.commits, Phase: drivestate.Discovering, Index: f.last()}
	for _, c := range f.written {
		r.Criteria = append(r.Criteria, drivestate.Criterion{ID: c.ID, Text: c.Text})
	}
	if r.Index == 0 {
		return r
	}
	r.Branch = f.branch
	for k := 1; k <= r.Index; k++ {
		if f.at(k).skipped {
			r.Skipped = append(r.Skipped, k)
		}
	}
	r.Chunks, r.DoneBefore = f.split(r.Index)
	switch c := f.at(r.Index); {
	case f.wip > 0:
		r.Phase = drivestate.Aborted
	case c.skipped:
		r.Phase, r.Index = drivestate.Coding, min(r.Index+1, len(r.Chunks))
	case c.reported:
		r.Phase = drivestate.ChunkComplete
	case f.drift:
		r.Phase = drivestate.DocDriftCheck
	default:
		r.Phase = drivestate.Reporting
	}
	return r
}

// split are the criteria of each chunk, and those that were done before the
// session: as the state or the journal know them, else as the drive has split them,
// else as well as it can be.
func (f facts) split(last int) (all [][]string, before []string) {
	all = make([][]string, last)
	var have []string
	for k := range all {
		all[k] = []string{}
		if c := f.at(k + 1); c.done {
			all[k] = f.keep(c, c.ids)
		}
		have = append(have, all[k]...)
	}
	if rest, ok := f.asKnown(last, have); ok {
		return f.place(all, rest), slices.Concat(f.older, f.unexplained(have, f.older, slices.Concat(rest...)))
	}
	if split, before, ok := f.asSplit(last, f.unexplained(have, f.older)); ok {
		return split, before
	}
	unnamed := 0 // chunks that are somewhere in the pool
	for k := 1; k <= last; k++ {
		c := f.at(k)
		if c.isUnnamed() || f.wip == k {
			unnamed++
		}
		if c.skipped {
			have = append(have, c.ids...)
		}
	}
	return f.place(all, fitIntoChunks(f.pool(have, f.older), f.plan, unnamed+f.total-last, f.most)), slices.Clone(f.older)
}

// keep are the criteria of a committed chunk that count as done: their boxes are
// checked, or this machine's own records know of the commit.
func (f facts) keep(c *chunk, ids []string) []string {
	if c.vouched {
		return ids
	}
	kept := []string{}
	for _, w := range f.written {
		if w.Done && slices.Contains(ids, w.ID) {
			kept = append(kept, w.ID)
		}
	}
	return kept
}

// place puts chunks where there is none yet: where one was given up or was in
// progress, then behind the last.
func (f facts) place(all, rest [][]string) [][]string {
	for k := range all {
		c := f.at(k + 1)
		switch {
		case c.skipped && len(c.ids) > 0:
			all[k] = c.ids
		case (c.skipped || f.wip == k+1) && len(rest) > 0:
			all[k], rest = rest[0], rest[1:]
		}
	}
	return append(all, rest...)
}

// pool are the criteria that are not among the given ones, in order.
func (f facts) pool(without ...[]string) []criteria.Criterion {
	ids := slices.Concat(without...)
	return slices.DeleteFunc(slices.Clone(f.written), func(c criteria.Criterion) bool { return slices.Contains(ids, c.ID) })
}

// unexplained are criteria whose box is checked and that no commit explains:
// people did them before, or the drive was lost with a chunk under way.
func (f facts) unexplained(explained ...[]string) (ids []string) {
	for _, c := range f.pool(explained...) {
		if c.Done {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// asKnown takes the chunks that are left from the state or the journal, where
// one of them has them all. What they do not name comes at the end.
func (f facts) asKnown(last int, have []string) (rest [][]string, ok bool) {
	var lost []string // committed once, and found nowhere
	for k := 1; k <= max(last, f.total); k++ {
		c := f.at(k)
		ok = ok || len(c.known) > 0
		switch {
		case k > last || c.isUnnamed() || f.wip == k:
			if len(c.known) == 0 {
				return nil, false
			}
			rest = append(rest, c.known)
		case c.skipped:
			have = append(have, c.ids...)
		case !c.done:
			lost = append(lost, c.known...)
		}
	}
	left := slices.DeleteFunc(f.pool(have, f.older, slices.Concat(rest...)), func(c criteria.Criterion) bool { return c.Done && !slices.Contains(lost, c.ID) })
	return append(rest, criteria.Split(left, nil, f.most)...), ok
}

// maxGuesses bounds how many lengths of runs are tried.
const maxGuesses = 30

// asSplit splits the criteria as the drive did. Of what no commit explains, a run
// was under way, the longest first, and the rest was done before; in the end, all
// of it was. The first that fits is taken, so what is doubtful counts as not done.
func (f facts) asSplit(last int, unexplained []string) (split [][]string, before []string, ok bool) {
	for n := len(unexplained); n >= 0; n-- {
		if len(unexplained)-n >= maxGuesses {
			n = 0
		}
		for at := 0; at+n <= len(unexplained) && (n > 0 || at == 0); at++ {
			before = slices.Concat(f.older, unexplained[:at], unexplained[at+n:])
			split = criteria.Split(f.pool(before), f.plan, f.most)
			if f.matchesCommits(last, split, unexplained[at:at+n]) {
				return split, before, true
			}
		}
	}
	return nil, nil, false
}

// matchesCommits tells whether chunks are those that are committed, and whether what was
// under way is a chunk, or several whose commits are lost: boxes are checked for
// whole chunks.
func (f facts) matchesCommits(last int, split [][]string, underWay []string) bool {
	if len(split) != f.total {
		return false
	}
	for k, ids := range split {
		c := f.at(k + 1)
		if len(c.ids) > 0 && !same(c.ids, ids) || c.done && !same(f.keep(c, ids), ids) {
			return false
		}
		if k < last && !c.done && !c.skipped && f.wip != k+1 {
			return false // it was committed, and is lost
		}
	}
	from := last
	if f.wip > 0 {
		from = f.wip - 1
	}
	for to := from; to <= len(split); to++ {
		if same(underWay, slices.Concat(split[from:to]...)) {
			return true
		}
	}
	return false
}

func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// fitIntoChunks puts criteria into a number of chunks, where that can be.
func fitIntoChunks(pool []criteria.Criterion, plan [][]string, n, most int) [][]string {
	for size := most; size > 0; size-- {
		if all := criteria.Split(pool, plan, size); len(all) == n {
			return all
		}
	}
	return criteria.Split(pool, plan, most)
}
