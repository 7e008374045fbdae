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
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
)

// account is what the tracker says about a requirement.
type account struct {
	issue   forge.Issue
	boxes   []criteria.Criterion
	session int64 // the requested one, or the newest that claimed the requirement
	reports map[int]forge.Issue
	bugs    []int
	aborted bool
}

// readTracker reads what the tracker knows: the boxes, and what a session filed.
func (b *restoration) readTracker(ctx context.Context, session int64) (account, error) {
	tracker, issue := b.in.Tracker, b.drive.issue
	a := account{session: session, reports: map[int]forge.Issue{}}
	n, err := strconv.Atoi(issue)
	if err != nil || n <= 0 {
		return a, fmt.Errorf("%q is not an issue number", issue)
	}
	if a.issue, err = tracker.Get(ctx, n); err != nil {
		return a, err
	}
	if a.boxes, err = criteria.Parse(a.issue.Body); err != nil {
		return a, fmt.Errorf("#%s: %w", issue, err)
	}
	if session == 0 {
		a.session = b.claimingSession(ctx, a.issue)
	}
	filed, err := tracker.List(ctx, forge.Query{Labels: []string{"warp-drive"}, Closed: true})
	if err != nil {
		return a, fmt.Errorf("looking for what was filed about #%s: %w", issue, err)
	}
	for _, i := range filed {
		a.read(i, i.Body)
	}
	for _, body := range b.ownComments(ctx, a.issue) {
		a.read(a.issue, body)
	}
	return a, nil
}

// read takes what a filed text, an issue or a comment on one, says about the session.
func (a *account) read(i forge.Issue, body string) {
	a.aborted = a.aborted || strings.Contains(body, fmt.Sprintf("<!-- warp-drive abort #%d %d -->", a.issue.Number, a.session))
	for _, k := range a.chunksIn(body, "report") {
		a.reports[k] = i
	}
	a.bugs = append(a.bugs, a.chunksIn(body, "bug")...)
}

// chunksIn returns the chunks of this session that a filed text is about.
func (a *account) chunksIn(body, what string) (list []int) {
	marks := strings.Split(body, fmt.Sprintf("<!-- warp-drive %s #%d.", what, a.issue.Number))
	for _, rest := range marks[1:] {
		k := 0
		if _, err := fmt.Sscanf(rest, fmt.Sprintf("%%d %d -->", a.session), &k); err == nil && k >= 1 && k <= maxChunks {
			list = append(list, k)
		}
	}
	return list
}

// ownComments returns the comments of warp's own user: anyone could write a mark.
func (b *restoration) ownComments(ctx context.Context, i forge.Issue) (list []string) {
	me, err := b.in.Tracker.User(ctx)
	if err != nil {
		return nil
	}
	for _, c := range i.Comments {
		if c.Author == me {
			list = append(list, c.Body)
		}
	}
	return list
}

// claimingSession returns the session that claimed an issue, by a comment of warp's own user.
func (b *restoration) claimingSession(ctx context.Context, i forge.Issue) (session int64) {
	for _, body := range b.ownComments(ctx, i) {
		var at int64
		_, rest, _ := strings.Cut(body, fmt.Sprintf("<!-- warp-drive taken #%d ", i.Number))
		_, err := fmt.Sscanf(rest, "%d -->", &at)
		if err == nil && !time.UnixMilli(at).After(b.in.Env.Now()) {
			session = max(session, at)
		}
	}
	return session
}

// collectFacts combines what is known of a drive, whose branch is as it will be.
func (b *restoration) collectFacts() facts {
	r, to, a := b.in, b.branch, b.account
	f := facts{branch: to.name, total: to.total, chunks: map[int]*chunk{}, written: a.boxes, older: to.older,
		most: max(1, r.cfg.Limits.ACsPerCommit), drift: r.cfg.DocDriftGate}
	page := r.book.Of(to.issue, to.session)
	for _, e := range page.Runs {
		if e.Row.Chunk > 0 && e.Row.Phase == string(drivestate.Coding) && len(e.Row.Criteria) > 0 {
			f.at(e.Row.Chunk).known = e.Row.Criteria
		}
	}
	if p, ok := evidence.Last(page.Plans, func(evidence.Plan) bool { return true }); ok {
		f.plan = p.Row.Chunks
	}
	for _, e := range page.Skips {
		f.at(e.Row.Chunk).skip(e.Row.Criteria)
	}
	for _, e := range page.Commits {
		if k := f.at(e.Row.Chunk); !e.Row.WIP {
			k.vouched, k.known = true, e.Row.Criteria
		}
	}
	if s := b.drive.state; s != nil && s.Session.StartedAtEpoch == to.session { // else another session continued it since
		f.readState(s, len(to.lost) == 0 && len(to.marks) == 0)
	}
	for _, m := range to.marks {
		f.commits = append(f.commits, m.Hash)
		f.total = max(f.total, m.Total)
		if !m.WIP {
			f.at(m.Chunk).commit(m.Criteria)
		}
	}
	if to.stopped() {
		f.wip = to.marks[len(to.marks)-1].Chunk
	}
	for _, k := range a.bugs {
		f.at(k).skipped = !f.at(k).done
	}
	for k := range a.reports {
		f.at(k).reported = true
	}
	return f
}

func (c *chunk) skip(ids []string) { c.skipped, c.ids = true, ids }

func (c *chunk) commit(ids []string) {
	if c.done, c.skipped, c.ids = true, false, ids; len(ids) == 0 {
		c.ids = c.known
	}
}

// readState takes what the state itself knows. A session inside an agent leaves no marks: then only
// the state knows which chunks are done.
func (f *facts) readState(s *drivestate.State, alone bool) {
	f.total = max(f.total, s.Chunk.Total)
	for k, ids := range s.Chunk.ACs {
		f.at(k+1).known, f.at(k+1).vouched = ids, true
	}
	for _, k := range s.Chunk.Skipped {
		f.at(k).skip(f.at(k).known)
	}
	for k := 1; alone && (k < s.Chunk.Index || k == s.Chunk.Index && s.Checklist.Committed); k++ {
		f.at(k).commit(nil)
		f.commits = s.CommitHashes
	}
	f.older = slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.older, s.Chunk.DoneBefore))))
}

// completeJournal adds missing criteria, commits and reports to the journal, so that what is filed
// from now on covers the whole drive.
func (b *restoration) completeJournal(ctx context.Context) error {
	r, to, a, store := b.in, b.branch, b.account, b.in.Main.Store()
	page := r.book.Of(to.issue, to.session)
	if len(page.Written) == 0 {
		row := evidence.Written{Issue: to.issue, Epoch: to.session}
		for _, c := range a.boxes {
			row.Criteria = append(row.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
		}
		if err := store.AppendSynced(event.Criteria, row); err != nil {
			return err
		}
	}
	var commits []any
	for _, m := range to.marks {
		if _, known := evidence.Last(page.Commits, func(c evidence.Commit) bool { return c.Hash == m.Hash }); known {
			continue
		}
		row := evidence.Commit{Issue: to.issue, Epoch: to.session, Chunk: m.Chunk, Hash: m.Hash, Subject: r.line(ctx, "log", "-1", "--format=%s", m.Hash),
			Criteria: m.Criteria, WIP: m.WIP, Was: to.picked[m.Hash], Recovered: to.picked[m.Hash] == ""}
		if stat, err := r.Tree.Stat(ctx, r.tip(ctx, m.Hash+"^"), m.Hash); err == nil {
			row.Files, row.Insertions, row.Deletions = stat.Files, stat.Insertions, stat.Deletions
		}
		commits = append(commits, row)
	}
	if err := store.AppendSynced(event.Commit, commits...); err != nil {
		return err
	}
	var reports []any
	for _, k := range slices.Sorted(maps.Keys(a.reports)) {
		i := a.reports[k]
		if _, known := evidence.Last(page.Filed, func(x evidence.Filed) bool { return x.What == "report" && x.Number == i.Number && x.Chunk == k }); !known {
			reports = append(reports, evidence.Filed{Issue: to.issue, Epoch: to.session, Chunk: k, What: "report", Number: i.Number, URL: i.URL, Title: i.Title})
		}
	}
	return store.Append(event.Filed, reports...)
}
