package recovery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
)

// account is what the tracker says about a requirement.
type account struct {
	issue   forge.Issue
	boxes   []criteria.Criterion
	taken   int64 // the newest session that said it has taken it up
	reports map[int]forge.Issue
	bugs    []int
	aborted bool
}

// ask reads what the tracker knows: the boxes, and what a session has filed.
func (r *Recovery) ask(ctx context.Context, issue string, session int64) (account, error) {
	a := account{reports: map[int]forge.Issue{}}
	n, err := strconv.Atoi(issue)
	if err != nil || n <= 0 {
		return a, fmt.Errorf("%q is no issue's number", issue)
	}
	if a.issue, err = r.Tracker.Get(ctx, n); err != nil {
		return a, err
	}
	if a.boxes, err = criteria.Parse(a.issue.Body); err != nil {
		return a, fmt.Errorf("#%s: %w", issue, err)
	}
	if session == 0 {
		a.taken = r.takenUp(ctx, a.issue)
		session = a.taken
	}
	filed, err := r.Tracker.List(ctx, forge.Query{Labels: []string{"warp-drive"}, Closed: true})
	if err != nil {
		return a, fmt.Errorf("looking for what was filed about #%s: %w", issue, err)
	}
	for _, i := range filed {
		a.aborted = a.aborted || strings.Contains(i.Body, fmt.Sprintf("<!-- warp-drive abort #%s %d -->", issue, session))
		if k := marked(i.Body, "report", issue, session); k > 0 {
			a.reports[k] = i
		}
		if k := marked(i.Body, "bug", issue, session); k > 0 {
			a.bugs = append(a.bugs, k)
		}
	}
	return a, nil
}

// marked is the chunk that a filed text is about; 0: none of this session.
func marked(body, what, issue string, session int64) int {
	head, tail := fmt.Sprintf("<!-- warp-drive %s #%s.", what, issue), fmt.Sprintf(" %d -->", session)
	_, rest, ok := strings.Cut(body, head)
	if !ok {
		return 0
	}
	text, _, ok := strings.Cut(rest, tail)
	k, err := strconv.Atoi(text)
	if !ok || err != nil || k < 1 || k > maxChunks {
		return 0
	}
	return k
}

// takenUp is the session that has taken an issue up, by a comment of the user
// whom warp works for: anybody could write one.
func (r *Recovery) takenUp(ctx context.Context, i forge.Issue) (session int64) {
	me, err := r.Tracker.User(ctx)
	if err != nil {
		return 0
	}
	for _, c := range i.Comments {
		_, rest, ok := strings.Cut(c.Body, fmt.Sprintf("<!-- warp-drive taken #%d ", i.Number))
		text, _, closed := strings.Cut(rest, " -->")
		at, err := strconv.ParseInt(text, 10, 64)
		if ok && closed && err == nil && c.Author == me && at > session && !time.UnixMilli(at).After(r.Env.Now()) {
			session = at
		}
	}
	return session
}

// gather puts together what is known of a drive. The trail is that of the branch
// as it will be; whole says that all commits which the state knows are on it.
func (r *Recovery) gather(t trail, s *drive.State, whole bool, a account, branch string, level int) facts {
	f := facts{issue: strconv.Itoa(a.issue.Number), branch: branch, level: level, session: t.session, total: t.total, written: a.boxes, older: t.older,
		done: map[int][]string{}, known: map[int][]string{}, skipped: map[int][]string{}, most: max(1, r.cfg.Limits.ACsPerCommit), drift: r.cfg.DocDriftGate}
	page := r.book.Of(f.issue, t.session)
	for _, e := range page.Runs {
		if e.Row.Chunk > 0 && e.Row.Phase == string(drive.Coding) && len(e.Row.Criteria) > 0 {
			f.known[e.Row.Chunk] = e.Row.Criteria
		}
	}
	if p, ok := evidence.Last(page.Plans, func(evidence.Plan) bool { return true }); ok {
		f.plan = p.Row.Chunks
	}
	for _, e := range page.Skips {
		f.skipped[e.Row.Chunk] = e.Row.Criteria
	}
	for _, e := range page.Commits {
		if !e.Row.WIP {
			f.vouched = append(f.vouched, e.Row.Chunk)
			f.known[e.Row.Chunk] = e.Row.Criteria
		}
	}
	if s != nil {
		f.bySelf(s, whole && len(t.marks) == 0)
	}
	for _, m := range t.marks {
		f.commits = append(f.commits, m.Hash)
		f.total = max(f.total, m.Total)
		if !m.WIP && len(m.Criteria) > 0 {
			f.done[m.Chunk] = m.Criteria
		} else if !m.WIP {
			f.done[m.Chunk] = f.known[m.Chunk]
		}
	}
	if t.stopped() {
		f.wip = t.marks[len(t.marks)-1].Chunk
	}
	for _, k := range a.bugs {
		if _, known := f.skipped[k]; !known {
			f.skipped[k] = nil
		}
	}
	maps.DeleteFunc(f.skipped, func(k int, _ []string) bool { return f.done[k] != nil })
	f.reported = slices.Collect(maps.Keys(a.reports))
	return f
}

// bySelf takes what the state itself knows. A session inside an agent leaves no
// marks: which chunks are done is then in the state alone.
func (f *facts) bySelf(s *drive.State, alone bool) {
	f.total = max(f.total, s.Chunk.Total)
	for k, ids := range s.Chunk.ACs {
		f.known[k+1] = ids
		f.vouched = append(f.vouched, k+1)
	}
	for _, k := range s.Chunk.Skipped {
		f.skipped[k] = f.known[k]
	}
	for k := 1; alone && (k < s.Chunk.Index || k == s.Chunk.Index && s.Checklist.Committed); k++ {
		f.done[k] = f.known[k]
		f.commits = s.CommitHashes
	}
	f.older = slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.older, s.Chunk.DoneBefore))))
}
