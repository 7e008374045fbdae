package recovery

import (
	"slices"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// facts are everything known about a drive's chunks, from commits, the state, the journal and the
// tracker. The decisions are made from them alone.
type facts struct {
	branch  string
	commits []string
	total   int
	chunks  map[int]*chunk       // from 1
	written []criteria.Criterion // as in the issue, with their boxes
	older   []string             // criteria that earlier sessions committed
	plan    [][]string
	wip     int  // the chunk whose work in progress is the last commit
	most    int  // criteria per chunk at most
	drift   bool // documents are checked after a commit
}

// chunk is what is known of one chunk.
type chunk struct {
	done     bool     // it is committed
	skipped  bool     // it was skipped
	ids      []string // its criteria, from the commit or the skip; nil: not stated there
	known    []string // its criteria, from the state or the journal
	vouched  bool     // the state or the journal knows of it
	reported bool
}

// isUnnamed reports whether a skipped chunk's criteria are unknown.
func (c *chunk) isUnnamed() bool { return c.skipped && len(c.ids) == 0 }

func (f facts) at(k int) *chunk {
	if f.chunks[k] == nil {
		f.chunks[k] = &chunk{}
	}
	return f.chunks[k]
}

// last returns the last chunk that was committed or skipped.
func (f facts) last() int {
	n := f.wip
	for k, c := range f.chunks {
		if c.done || c.skipped {
			n = max(n, k)
		}
	}
	return n
}

// recovered returns the state from which the drive resumes: after its last committed chunk, with
// the rest split as it was.
func (f facts) recovered() turnstile.Recovered {
	r := turnstile.Recovered{Commits: f.commits, Phase: drivestate.Discovering}
	if f.branch != "" { // without one no chunk was committed: what was skipped is tried again
		r.Index = f.last()
	}
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

// split returns the criteria of each chunk, and those done before the session: as the state or the
// journal has them, else as the drive split them, else as well as possible.
func (f facts) split(last int) (all [][]string, before []string) {
	all = make([][]string, last)
	var have []string
	for k := range all {
		all[k] = []string{}
		if c := f.at(k + 1); c.done {
			all[k] = f.doneCriteria(c, c.ids)
		}
		have = append(have, all[k]...)
	}
	if rest, ok := f.splitAsRecorded(last, have); ok {
		return f.fillChunks(all, rest), slices.Concat(f.older, f.unexplained(have, f.older, slices.Concat(rest...)))
	}
	if split, before, ok := f.guessSplit(last, f.unexplained(have, f.older)); ok {
		return split, before
	}
	unnamed := 0 // chunks whose criteria are somewhere in the pool
	for k := 1; k <= last; k++ {
		c := f.at(k)
		if c.isUnnamed() || f.wip == k {
			unnamed++
		}
		if c.skipped {
			have = append(have, c.ids...)
		}
	}
	return f.fillChunks(all, fitIntoChunks(f.criteriaWithout(have, f.older), f.plan, unnamed+f.total-last, f.most)), slices.Clone(f.older)
}

// doneCriteria returns the criteria of a committed chunk that count as done: their boxes are
// checked, or this machine's own records have the commit.
func (f facts) doneCriteria(c *chunk, ids []string) []string {
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

// fillChunks fills in missing chunks: first where one was skipped or in progress, then after the
// last.
func (f facts) fillChunks(all, rest [][]string) [][]string {
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

// criteriaWithout returns the criteria that are not among the given ones, in order.
func (f facts) criteriaWithout(without ...[]string) []criteria.Criterion {
	ids := slices.Concat(without...)
	return slices.DeleteFunc(slices.Clone(f.written), func(c criteria.Criterion) bool { return slices.Contains(ids, c.ID) })
}

// unexplained returns criteria with a checked box that no commit explains: people did them before,
// or the drive was lost during a chunk.
func (f facts) unexplained(explained ...[]string) (ids []string) {
	for _, c := range f.criteriaWithout(explained...) {
		if c.Done {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// splitAsRecorded takes the remaining chunks from the state or the journal, if one of them has all.
// Criteria that they leave out come at the end.
func (f facts) splitAsRecorded(last int, have []string) (rest [][]string, ok bool) {
	var lost []string // once committed, and found nowhere
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
	left := slices.DeleteFunc(f.criteriaWithout(have, f.older, slices.Concat(rest...)), func(c criteria.Criterion) bool { return c.Done && !slices.Contains(lost, c.ID) })
	return append(rest, criteria.Split(left, nil, f.most)...), ok
}

// maxGuesses is how many lengths of runs are tried.
const maxGuesses = 30

// guessSplit splits the criteria as the drive did. Of the unexplained ones, it assumes that a run
// was in progress, the longest first, and that the rest was done before; finally, that all were. It
// takes the first split that fits, so what is doubtful counts as not done.
func (f facts) guessSplit(last int, unexplained []string) (split [][]string, before []string, ok bool) {
	for n := len(unexplained); n >= 0; n-- {
		if len(unexplained)-n >= maxGuesses {
			n = 0
		}
		for at := 0; at+n <= len(unexplained) && (n > 0 || at == 0); at++ {
			before = slices.Concat(f.older, unexplained[:at], unexplained[at+n:])
			split = criteria.Split(f.criteriaWithout(before), f.plan, f.most)
			if f.matchesCommits(last, split, unexplained[at:at+n]) {
				return split, before, true
			}
		}
	}
	return nil, nil, false
}

// matchesCommits reports whether chunks match the committed ones, and whether what was in progress
// is a chunk, or several with lost commits: boxes are checked for whole chunks.
func (f facts) matchesCommits(last int, split [][]string, underWay []string) bool {
	if len(split) != f.total {
		return false
	}
	for k, ids := range split {
		c := f.at(k + 1)
		if len(c.ids) > 0 && !sameElements(c.ids, ids) || c.done && !sameElements(f.doneCriteria(c, ids), ids) {
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
		if sameElements(underWay, slices.Concat(split[from:to]...)) {
			return true
		}
	}
	return false
}

func sameElements(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// fitIntoChunks splits criteria into n chunks if possible.
func fitIntoChunks(pool []criteria.Criterion, plan [][]string, n, most int) [][]string {
	for size := most; size > 0; size-- {
		if all := criteria.Split(pool, plan, size); len(all) == n {
			return all
		}
	}
	return criteria.Split(pool, plan, most)
}
