package feed

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
)

// addFromDocument adds what only a drive's document knows: a drive inside an agent's session
// writes few rows.
func addFromDocument(b *evidence.Book, s *drivestate.State) {
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
