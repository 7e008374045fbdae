package drive

import "slices"

// withdrawOfChunk takes back what was asked about the present chunk, which is done: an engine
// that was killed while it asked cannot do so, and its agent may ask nothing, or something else,
// the next time.
func withdrawOfChunk(t *turn) {
	if slices.Contains(t.s.Chunk.Skipped, t.s.Chunk.Index) {
		return
	}
	withdrawQuestions(t, func(chunk int, criteria []string) bool {
		return isAbout(chunk, criteria, []int{t.s.Chunk.Index}, t.s.Chunk.Present())
	})
}

// withdrawOfIssue takes back what was asked about an issue that has ended. The answer to a
// question about a chunk that was given up counts when the issue is picked up again.
func withdrawOfIssue(t *turn) {
	withdrawQuestions(t, func(chunk int, criteria []string) bool {
		return !isAbout(chunk, criteria, t.s.Chunk.Skipped, t.s.Chunk.SkippedCriteria())
	})
}

func withdrawQuestions(t *turn, over func(chunk int, criteria []string) bool) {
	if t.Withdraw != nil && t.s.Issue() != "" {
		t.Withdraw(t.s.Issue(), over)
	}
}

// isAbout tells whether a question is about one of some chunks: by its criteria, where it names
// them.
func isAbout(chunk int, criteria []string, chunks []int, of []string) bool {
	if len(criteria) == 0 {
		return slices.Contains(chunks, chunk)
	}
	return slices.ContainsFunc(criteria, func(id string) bool { return slices.Contains(of, id) })
}
