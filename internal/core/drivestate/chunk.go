package drivestate

import (
	"maps"
	"slices"
	"time"

	"warp/internal/core/text"
)

// Skip skips the current chunk, so that one impossible chunk does not block the others. Its
// criteria are unchecked. The next chunk begins at the given tree; Skip returns false if there is
// none.
func (s *State) Skip(tree string, now time.Time) bool {
	s.Chunk.Skipped = append(slices.Clone(s.Chunk.Skipped), s.Chunk.Index)
	uncheck(s, s.Chunk.Present())
	resetChunk(s)
	s.Budgets.PhaseStartedAt = Stamp(now)
	s.EditCounts = map[string]int{}
	if s.Chunk.Index >= s.Chunk.Total {
		return false
	}
	s.Chunk.Index++
	s.Chunk.Base = tree
	s.Tokens.CurrentStartedAt = optional(Stamp(now))
	return true
}

// uncheck unchecks criteria of the current issue.
func uncheck(s *State, ids []string) {
	if done := s.Checked[s.Issue()]; len(done) > 0 {
		s.Checked = maps.Clone(s.Checked)
		s.Checked[s.Issue()] = text.Without(done, ids)
	}
}

// SkippedCriteria returns the criteria of the skipped chunks.
func (c *Chunk) SkippedCriteria() (ids []string) {
	for _, i := range c.Skipped {
		ids = append(ids, c.criteria(i)...)
	}
	return ids
}

// Due returns the criteria that must be checked by now: those of earlier sessions, earlier chunks
// and this chunk.
func (c *Chunk) Due() []string {
	done := c.ACs[:min(max(0, c.Index), len(c.ACs))]
	return text.Without(slices.Concat(c.DoneBefore, slices.Concat(done...)), c.SkippedCriteria())
}

// Present returns the criteria of the current chunk.
func (c *Chunk) Present() []string { return c.criteria(c.Index) }

// criteria returns those of one chunk, counted from 1.
func (c *Chunk) criteria(index int) []string {
	if index < 1 || index > len(c.ACs) {
		return []string{}
	}
	return c.ACs[index-1]
}

// ToConfirm lists the criteria to confirm before an event: the chunk's, or all of them before the
// requirement is done.
func (c *Chunk) ToConfirm(on Event) []string {
	if on != RequirementDone {
		return c.Present()
	}
	return slices.Concat(c.ACs...)
}

// Reconcile sets the counters to what git and the tracker show, and returns the names of those that
// were wrong.
func (s *State) Reconcile(commits []string, reports int) (wrong []string) {
	for _, hash := range commits {
		if !slices.Contains(s.CommitHashes, hash) {
			s.CommitHashes = append(s.CommitHashes, hash)
		}
	}
	for _, c := range []struct {
		name string
		have *int
		want int
	}{
		{"commits", &s.Metrics.Commits, max(s.Metrics.Commits, len(s.CommitHashes))},
		{"reports_filed", &s.Metrics.ReportsFiled, reports},
	} {
		if *c.have != c.want {
			*c.have = c.want
			wrong = append(wrong, c.name)
		}
	}
	return wrong
}
