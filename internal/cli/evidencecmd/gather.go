package evidencecmd

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Records are what the work trees of a repository know together.
type Records struct {
	Book   *evidence.Book
	Drives []Standing
	Notes  []string // for the user
}

// Standing is a drive as it stands in its work tree.
type Standing struct {
	Root string
	turnstile.View
}

// Gather reads the journals and drives of all work trees, the main one first.
// What is in two of them counts once.
func Gather(d *turnstile.Drive, env turnstile.Env) (Records, error) {
	r := Records{Book: &evidence.Book{}}
	var rows []dated
	seen := map[string]bool{}
	for _, root := range roots(d) {
		at := turnstile.Open(root, env)
		more, err := r.journal(at.Store(), seen)
		if err != nil {
			return r, err
		}
		rows = append(rows, more...)
		v, err := at.Read()
		switch {
		case durable.IsMissing(err):
		case err != nil:
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %v", root, err))
		default:
			r.Notes = append(r.Notes, v.Notes...)
			r.Drives = append(r.Drives, Standing{root, v})
		}
	}
	slices.SortStableFunc(rows, func(a, b dated) int { return a.at.Compare(b.at) })
	for _, row := range rows {
		r.Book.Take(row.Row)
	}
	if n := r.Book.Left; n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("left out %d rows of evidence that are not signed with your key: an older warp, another machine or something else wrote them (warp evidence --unsigned shows them, warp doctor says more)", n))
	}
	for _, s := range r.Drives {
		complete(r.Book, s.State)
	}
	return r, nil
}

// roots are the folders that may have a journal.
func roots(d *turnstile.Drive) []string {
	list := []string{filepath.Dir(d.Project.Home().Dir()), d.Root()}
	if p, ok := git.Locate(d.Root()); ok {
		list = append(list, p.Worktrees()...)
	}
	var out []string
	for _, root := range list {
		if !slices.Contains(out, root) {
			out = append(out, root)
		}
	}
	return out
}

// dated is a row with the time by which journals are merged. It never goes back
// within a journal: a journal's own order counts, not the clock.
type dated struct {
	event.Row
	at time.Time
}

// journal reads the rows of one journal that no other had.
func (r *Records) journal(store *durable.Store, seen map[string]bool) (rows []dated, err error) {
	var lines []string
	var last time.Time
	damaged, err := store.Events(func(row event.Row) bool {
		if row.Doc != "" || row.Data == nil {
			return true
		}
		if line := string(row.Line()); !seen[line] {
			if at, err := time.Parse(time.RFC3339, row.At); err == nil && at.After(last) {
				last = at
			}
			rows, lines = append(rows, dated{row, last}), append(lines, line)
		}
		return true
	})
	for _, line := range lines { // only now: one journal may say the same twice
		seen[line] = true
	}
	if err != nil {
		return nil, fmt.Errorf("reading the evidence in %q: %w", store.Dir(), err)
	}
	if damaged > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("skipped %d damaged rows of the journal in %s; warp doctor says more", damaged, store.Dir()))
	}
	return rows, nil
}

// complete adds what only a drive's document knows: a drive inside an agent's
// session leaves few rows.
func complete(b *evidence.Book, s *drivestate.State) {
	for _, issue := range slices.Sorted(maps.Keys(s.Criteria)) {
		if len(b.Of(issue, 0).Written) > 0 {
			continue
		}
		w := evidence.Written{Issue: issue}
		for _, c := range s.Criteria[issue] {
			w.Criteria = append(w.Criteria, evidence.Criterion{ID: c.ID, Text: c.Text})
		}
		b.Written = append(b.Written, evidence.Entry[evidence.Written]{Row: w})
	}
	for _, issue := range slices.Sorted(maps.Keys(s.Checked)) {
		for _, id := range s.Checked[issue] {
			if !slices.ContainsFunc(b.Ticks, func(e evidence.Entry[evidence.Tick]) bool { return e.Row.Issue == issue && e.Row.ID == id }) {
				b.Ticks = append(b.Ticks, evidence.Entry[evidence.Tick]{Row: evidence.Tick{Issue: issue, ID: id, Checked: true}})
			}
		}
	}
	if s.Issue() == "" {
		return
	}
	for i, ids := range s.Chunk.ACs {
		b.Chunks = append(b.Chunks, evidence.Entry[evidence.Chunked]{Row: evidence.Chunked{Issue: s.Issue(), Chunk: i + 1, Criteria: ids}})
	}
	for _, hash := range s.CommitHashes {
		if hash != "" && !slices.ContainsFunc(b.Commits, func(e evidence.Entry[evidence.Commit]) bool {
			return e.Row.Hash != "" && (strings.HasPrefix(e.Row.Hash, hash) || strings.HasPrefix(hash, e.Row.Hash))
		}) {
			b.Commits = append(b.Commits, evidence.Entry[evidence.Commit]{Row: evidence.Commit{Issue: s.Issue(), Hash: hash}})
		}
	}
}
