package drive

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/drivestate"
	"warp/internal/engine/agent"
)

// kinds maps labels of issues to kinds of commits; the first match wins.
var kinds = []struct{ label, kind string }{{"bug", "fix"}, {"documentation", "docs"}, {"docs", "docs"}, {"refactor", "refactor"},
	{"performance", "perf"}, {"test", "test"}, {"chore", "chore"}}

// commitMessage returns the message of the chunk's commit: the coder's words in the project's
// style, with the criteria as trailers.
func commitMessage(ctx context.Context, t *turn) string {
	w := commit.Work{Title: t.issue.Title, Issue: t.s.Issue()}
	for _, k := range kinds {
		if t.issue.Has(k.label) {
			w.Kind = cmp.Or(w.Kind, k.kind)
		}
	}
	if t.s.Chunk.Total > 1 {
		w.Part = fmt.Sprintf("part %d of %d", t.s.Chunk.Index, t.s.Chunk.Total)
	}
	var said []string
	tidied, _ := answeredUnasked(t) // its words may be about what is not in the commit
	tree := ""
	for _, r := range codingRuns(t.evidenceOfIssue(t.s), t.s) {
		unchanged := tree != "" && r.Row.Tree == tree
		if tree = r.Row.Tree; r.Row.End != string(agent.Done) || r.Row.Unread != "" || unchanged || r.N == tidied.N {
			continue
		}
		w.Said = append(w.Said, r.Row.Commit)
		if r.Row.Summary != "" {
			said = append(said, r.Row.Summary)
		}
	}
	slices.Reverse(w.Said)
	said = tellWhole(said)
	if strings.Join(w.Said, "") == "" {
		w.Said = []string{tidied.Row.Commit}
	}
	if strings.Join(said, "") == "" {
		said = []string{tidied.Row.Summary}
	}
	var trailers []string
	if follow := t.following(); follow != nil {
		w.Kind, w.Part = "fix", pullName(follow)
		said = append(said, "Since "+follow.Why+".")
	} else {
		for _, c := range criteriaByID(t.s, t.s.Chunk.Present()) {
			trailers = append(trailers, commit.Trailer(c.ID, c.Text))
		}
	}
	trailers = append(trailers, "Refs: #"+t.s.Issue(), drivestate.Trailer(t.s, t.s.Chunk.Index))
	return t.Redact(commit.Message(t.lander.Style(ctx).Subject(w), strings.Join(said, "\n\n"), trailers...))
}

// tellWhole returns what a commit says of the summaries of its runs: the last, which is about the whole
// part, after the first where the last says less.
func tellWhole(said []string) []string {
	last := len(said) - 1
	switch {
	case last < 1:
		return said
	case len(said[last]) < len(said[0]):
		return []string{said[0], said[last]}
	}
	return said[last:]
}
