package recovery

import (
	"maps"
	"slices"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/turnstile"
)

// facts are all that is known of a drive, from wherever: commits, the state, the
// journal, the tracker. What is made of them is decided without asking anybody.
type facts struct {
	issue, branch string
	level         int
	session       int64
	total         int
	written       []criteria.Criterion // as the issue has them, with their boxes
	older         []string             // criteria that earlier sessions committed
	done          map[int][]string     // chunks that are committed
	vouched       []int                // of those, the ones that the state or the journal knows, too
	known         map[int][]string     // the criteria of chunks, committed or not
	plan          [][]string
	skipped       map[int][]string // chunks that were given up; their criteria where they are known
	reported      []int
	commits       []string
	wip           int  // the chunk whose work in progress is the last commit
	most          int  // criteria of a chunk
	drift         bool // documents are checked after a commit
}

// recovered is the state that the drive goes on from: after its last committed
// chunk, with what is left to do split as it was.
func (f facts) recovered() turnstile.Recovered {
	r := turnstile.Recovered{Issue: f.issue, Branch: f.branch, Level: f.level, Epoch: f.session, Commits: f.commits}
	for _, c := range f.written {
		r.Criteria = append(r.Criteria, drive.Criterion{ID: c.ID, Text: c.Text})
	}
	if len(f.done)+len(f.skipped) == 0 && f.wip == 0 {
		r.Phase, r.Branch = drive.Discovering, ""
		return r
	}
	r.Skipped = slices.Sorted(maps.Keys(f.skipped))
	r.Index = f.last()
	r.Chunks, r.DoneBefore = f.chunks()
	switch {
	case f.wip > 0:
		r.Phase = drive.Aborted
	case f.skipped[r.Index] != nil || slices.Contains(r.Skipped, r.Index):
		r.Phase = drive.Coding
		r.Index = min(r.Index+1, len(r.Chunks))
	case slices.Contains(f.reported, r.Index):
		r.Phase = drive.ChunkComplete
	case f.drift:
		r.Phase = drive.DocDriftCheck
	default:
		r.Phase = drive.Reporting
	}
	return r
}

// last is the last chunk that is dealt with.
func (f facts) last() int {
	n := f.wip
	for _, m := range []map[int][]string{f.done, f.skipped} {
		for k := range m {
			n = max(n, k)
		}
	}
	return n
}

// chunks are the criteria of each chunk, and those that were done before the
// session.
func (f facts) chunks() (all [][]string, before []string) {
	last := f.last()
	all = make([][]string, last)
	var have []string
	for k := range last {
		all[k] = []string{}
		if ids, ok := f.done[k+1]; ok {
			all[k] = f.keep(k+1, ids)
		}
		have = append(have, all[k]...)
	}
	before = slices.Clone(f.older)
	if rest, ok := f.asKnown(last, have); ok {
		before = append(before, f.unexplained(slices.Concat(have, before, slices.Concat(rest...)))...)
		return f.place(all, rest), before
	}
	for _, g := range guesses(f.unexplained(slices.Concat(have, before))) {
		if split, ok := f.asSplit(slices.Concat(before, g.before)); ok && g.fits(split, f.present()) {
			return split, slices.Concat(before, g.before)
		}
	}
	pool := f.pool(slices.Concat(have, before))
	for _, k := range slices.Sorted(maps.Keys(f.skipped)) {
		if ids := f.skipped[k]; len(ids) > 0 {
			pool = slices.DeleteFunc(pool, func(c criteria.Criterion) bool { return slices.Contains(ids, c.ID) })
		}
	}
	var unknown int // chunks that are somewhere in the pool
	for k := range last {
		if ids, given := f.skipped[k+1]; given && len(ids) == 0 || f.wip == k+1 {
			unknown++
		}
	}
	return f.place(all, fit(pool, f.plan, unknown+f.total-last, f.most)), before
}

// keep are the criteria of a committed chunk that count as done: their boxes are
// checked, or this machine's own records know of the commit.
func (f facts) keep(chunk int, ids []string) []string {
	if slices.Contains(f.vouched, chunk) {
		return ids
	}
	kept := []string{}
	for _, c := range f.written {
		if c.Done && slices.Contains(ids, c.ID) {
			kept = append(kept, c.ID)
		}
	}
	return kept
}

// place puts chunks where there is none yet: where one was given up or was in
// progress, then behind the last.
func (f facts) place(all, rest [][]string) [][]string {
	all = slices.Clone(all)
	for k := range all {
		ids, given := f.skipped[k+1]
		switch {
		case given && len(ids) > 0:
			all[k] = ids
		case (given || f.wip == k+1) && len(rest) > 0:
			all[k], rest = rest[0], rest[1:]
		}
	}
	return append(all, rest...)
}

// pool are the criteria that are not among the given ones, in order.
func (f facts) pool(without []string) (list []criteria.Criterion) {
	for _, c := range f.written {
		if !slices.Contains(without, c.ID) {
			list = append(list, c)
		}
	}
	return list
}

// unexplained are criteria whose box is checked and that no commit explains:
// people did them before, or the drive was lost with a chunk under way.
func (f facts) unexplained(explained []string) (ids []string) {
	for _, c := range f.pool(explained) {
		if c.Done {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// asKnown takes the chunks that are left from the state or the journal, where
// one of them has them all. What they do not name comes at the end.
func (f facts) asKnown(last int, have []string) (rest [][]string, ok bool) {
	if len(f.known) == 0 {
		return nil, false
	}
	var named []string
	add := func(k int) bool {
		ids := f.known[k]
		if len(ids) == 0 {
			return false
		}
		rest, named = append(rest, ids), append(named, ids...)
		return true
	}
	for k := 1; k <= last; k++ {
		if ids, given := f.skipped[k]; given && len(ids) == 0 || f.wip == k {
			if !add(k) {
				return nil, false
			}
		}
	}
	for k := last + 1; k <= f.total; k++ {
		if !add(k) {
			return nil, false
		}
	}
	for _, ids := range f.skipped {
		named = append(named, ids...)
	}
	var lost []string // committed once, and found nowhere
	for k := 1; k <= last; k++ {
		if _, given := f.skipped[k]; !given && f.done[k] == nil && f.wip != k {
			lost = append(lost, f.known[k]...)
		}
	}
	left := slices.DeleteFunc(f.pool(slices.Concat(have, f.older, named)), func(c criteria.Criterion) bool { return c.Done && !slices.Contains(lost, c.ID) })
	return append(rest, criteria.Split(left, nil, f.most)...), true
}

// guess says which of the unexplained were done before, and which were under
// way.
type guess struct{ before, under []string }

// guesses are all that may be: a run of them was under way, the longest first;
// in the end, none. The first that fits is taken, so what is doubtful counts as
// not done.
func guesses(ids []string) (list []guess) {
	for n := len(ids); n > max(0, len(ids)-maxGuesses); n-- {
		for at := 0; at+n <= len(ids); at++ {
			list = append(list, guess{slices.Concat(ids[:at], ids[at+n:]), ids[at : at+n]})
		}
	}
	return append(list, guess{before: ids})
}

// maxGuesses bounds how many lengths of such runs are tried.
const maxGuesses = 30

// fits tells whether what was under way is a chunk, or several whose commits are
// lost: boxes are checked for whole chunks.
func (g guess) fits(chunks [][]string, from int) bool {
	for to := from - 1; to <= len(chunks); to++ {
		if same(g.under, slices.Concat(chunks[from-1:to]...)) {
			return true
		}
	}
	return false
}

// present is the chunk that was under way.
func (f facts) present() int {
	if f.wip > 0 {
		return f.wip
	}
	return f.last() + 1
}

// asSplit splits the criteria as the drive did; false when that does not give
// the chunks that are committed.
func (f facts) asSplit(before []string) ([][]string, bool) {
	all := criteria.Split(f.pool(before), f.plan, f.most)
	if len(all) != f.total {
		return nil, false
	}
	for k, ids := range all {
		for _, m := range []map[int][]string{f.done, f.skipped} {
			if want := m[k+1]; len(want) > 0 && !same(want, ids) {
				return nil, false
			}
		}
		if _, done := f.done[k+1]; done && !same(f.keep(k+1, ids), ids) {
			return nil, false
		}
		if _, given := f.skipped[k+1]; !given && k < f.last() && f.done[k+1] == nil && f.wip != k+1 {
			return nil, false // it was committed, and is lost
		}
	}
	return all, true
}

func same(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// fit puts criteria into a number of chunks, where that can be.
func fit(pool []criteria.Criterion, plan [][]string, n, most int) [][]string {
	for size := most; size > 0; size-- {
		if all := criteria.Split(pool, plan, size); len(all) >= n || size == 1 {
			if len(all) == n {
				return all
			}
			break
		}
	}
	return criteria.Split(pool, plan, most)
}
