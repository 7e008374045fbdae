package drivestate

import (
	"maps"
	"slices"
	"time"
)

// CostExceeded is why a drive waits whose money or tokens are spent. They are
// counted by the engine that runs the agents, not by the table.
const CostExceeded = "cost_exceeded"

// Outrun parks a drive for a reason that its own counters do not know. It tells
// whether the phase can be parked at all.
func (s *State) Outrun(reason string, now time.Time) bool {
	if !s.Phase.Trips() {
		return false
	}
	s.trip([]string{reason}, "", now)
	return true
}

// Skip gives the present chunk up, so that one chunk that cannot be done does
// not keep the others from being done. Its criteria are not checked off any
// more. The next chunk begins at the given tree; false when there is none.
func (s *State) Skip(tree string, now time.Time) bool {
	s.Chunk.Skipped = append(slices.Clone(s.Chunk.Skipped), s.Chunk.Index)
	s.uncheck(s.criteria(s.Chunk.Index))
	s.newChunk()
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

// uncheck takes criteria of the present issue back.
func (s *State) uncheck(ids []string) {
	if done := s.Checked[s.Issue()]; len(done) > 0 {
		s.Checked = maps.Clone(s.Checked)
		s.Checked[s.Issue()] = without(done, ids)
	}
}

// SkippedCriteria are those of the chunks that were given up.
func (s *State) SkippedCriteria() (ids []string) {
	for _, i := range s.Chunk.Skipped {
		ids = append(ids, s.criteria(i)...)
	}
	return ids
}

// Due are the criteria that have to be checked off by now: what earlier
// sessions did, the chunks before this one and this one.
func (s *State) Due() []string {
	want := slices.Clone(s.Chunk.DoneBefore)
	for _, acs := range s.Chunk.ACs[:min(max(0, s.Chunk.Index), len(s.Chunk.ACs))] {
		want = append(want, acs...)
	}
	return without(want, s.SkippedCriteria())
}

// Present are the criteria of the present chunk.
func (s *State) Present() []string { return s.criteria(s.Chunk.Index) }

// Reconcile sets the counters to what git and the tracker show, and names those
// that were wrong.
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

// Waited ends a wait for something that ended by itself; the time it took is
// not charged to any budget.
func (s *State) Waited(now time.Time) {
	if s.Waiting != nil && s.Waiting.Since != "" {
		s.leaveOut(since(s.Waiting.Since, now))
	}
	s.Waiting = nil
}

// SessionLeft is what is left of the session's time.
func (s *State) SessionLeft(l Limits, now time.Time) time.Duration {
	return max(0, minutes(l.SessionMinutes)-s.sessionElapsed(now))
}
