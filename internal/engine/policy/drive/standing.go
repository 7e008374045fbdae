package drive

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/learning"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/lessons"
	"warp/internal/sys/git"
)

// findStanding returns where the work on the present issue stands. What cannot be read is left out:
// the agent can do without it.
func findStanding(ctx context.Context, t *turn, page *evidence.Book) (w standing) {
	now := t.s.Chunk.Present()
	for _, c := range page.Commits {
		if c.Row.WIP || c.Row.Hash == "" {
			continue
		}
		words := text.OneLine(cmp.Or(summaryOf(page, c.Row.Chunk), c.Row.Subject))
		w.committed = append(w.committed, fmt.Sprintf("%s part %d (%s): %s", text.Hash(c.Row.Hash), c.Row.Chunk, text.List(c.Row.Criteria, 5), words))
		w.done = append(w.done, c.Row.Criteria...)
	}
	w.done = text.Without(w.done, now)
	for _, c := range openCriteria(t) {
		if !slices.Contains(now, c.ID) && !slices.Contains(w.done, c.ID) {
			w.later = append(w.later, c.ID)
		}
	}
	// What a session has done since it was asked is no last run's, though its engine was killed.
	own := t.Mind != nil && len(codingRuns(page, t.s)) == 0
	if tree, err := t.Drive.Tree.Fingerprint(); err == nil && !own && t.s.Chunk.Base != "" && tree != t.s.Chunk.Base {
		if changes, err := t.Drive.Tree.CompareTrees(t.s.Chunk.Base, tree); err == nil {
			for _, c := range changes {
				w.left = append(w.left, c.Path)
			}
			w.leftSaid = summaryOf(page, t.s.Chunk.Index)
		}
	}
	w.lessons, w.subjects = knownLessons(t), recentSubjects(ctx, t)
	return w
}

// summaryOf returns what the coders of a chunk said of their work, oldest first: a last fix may be
// about a detail.
func summaryOf(page *evidence.Book, chunk int) string {
	var said []string
	for _, r := range page.Runs {
		if r.Row.Chunk == chunk && r.Row.Summary != "" && (r.Row.Role == string(agent.Code) || r.Row.Role == string(agent.Fix)) && !slices.Contains(said, r.Row.Summary) {
			said = append(said, r.Row.Summary)
		}
	}
	return strings.Join(said, " ")
}

// mostBest is how many of the project's best lessons are considered.
const mostBest = 20

// knownLessons returns what is known for the present work, once each: the lessons of its issue,
// newest first, those that fit it, and the project's best.
func knownLessons(t *turn) (list []string) {
	store := lessons.Open(t.home)
	book, err := store.Read()
	if err != nil {
		t.remark("the earlier lessons cannot be read: %v", err)
		return nil
	}
	all := book.Lessons()
	own := slices.DeleteFunc(slices.Clone(all), func(l learning.Learning) bool { return l.Issue != t.s.Issue() })
	slices.Reverse(own)
	about := learning.About{Name: t.issue.Title, Text: t.issue.Body}
	seen := map[string]bool{}
	for _, l := range slices.Concat(own, learning.Relevant(all, about, maxLessons), book.Best(mostBest)) {
		if id := l.ID(); !seen[id] {
			seen[id] = true
			list = append(list, l.Text())
		}
	}
	return list
}

// recentSubjects returns the last subjects in the project's log, as an example of its style.
func recentSubjects(ctx context.Context, t *turn) (list []string) {
	out, err := t.repo().Must(ctx, git.Call{Args: []string{"log", "--no-merges", "-n", fmt.Sprint(mostSubjects), "--format=%s", "--end-of-options", "HEAD"}})
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		if line = text.ClipRunes(text.VisibleLine(strings.TrimSpace(line)), 72); !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

var criterionID = regexp.MustCompile(`\bAC-\d+\b`)

// wasFoundBefore reports whether an earlier try of the chunk had the same fault: the same check
// refused it for the same tests, criteria or words.
func wasFoundBefore(page *evidence.Book, s *drivestate.State, f *fault) bool {
	same := func(n int, by string, keys []string) bool {
		return n != f.n && by == f.by && !onlyObjected(page, s, n, f.n) && slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(f.keys, k) })
	}
	for _, g := range page.Gates {
		if g.Row.Chunk == s.Chunk.Index && !g.Row.Passed && !g.Row.Untried && same(g.N, g.Row.Gate, gateKeys(g.Row)) {
			return true
		}
	}
	for _, r := range page.Tests {
		if r.Row.Chunk == s.Chunk.Index && !r.Row.Passed && same(r.N, r.Row.Command, testKeys(r.Row)) {
			return true
		}
	}
	return false
}

// onlyObjected reports whether the coder changed nothing between two refusals, but objected to the
// first: that was no try.
func onlyObjected(page *evidence.Book, s *drivestate.State, first, second int) bool {
	tree, objected := "", false
	for _, r := range codingRuns(page, s) {
		switch {
		case r.N > second:
		case r.N < first:
			tree = r.Row.Tree
		case r.Row.Tree != tree:
			return false
		default:
			objected = objected || r.Row.Objection != ""
		}
	}
	return objected
}

// gateKeys returns what identifies a refusal: the criteria that it names, or its first line.
func gateKeys(g evidence.Gate) []string {
	if ids := criterionID.FindAllString(g.Reason, -1); len(ids) > 0 {
		return ids
	}
	return []string{text.FirstLine(g.Reason)}
}

// testKeys returns what identifies a failed run of the tests: the failing tests, or their output.
func testKeys(r evidence.Tested) []string {
	if len(r.Failing) > 0 {
		return r.Failing
	}
	return []string{strings.TrimSpace(r.Excerpt)}
}

// cutApproach shortens an approach at the end of a sentence.
func cutApproach(approach string) (short string, cut bool) {
	approach = strings.TrimSpace(approach)
	if len(approach) <= maxApproach {
		return approach, false
	}
	short = text.Prefix(approach, maxApproach)
	end := 0
	for i := range short {
		if strings.ContainsRune(".!?\n", rune(short[i])) && (i+1 == len(short) || short[i+1] == ' ' || short[i+1] == '\n') {
			end = i + 1
		}
	}
	if end < maxApproach/2 { // one long sentence
		return text.Clip(approach, maxApproach), true
	}
	return strings.TrimSpace(short[:end]), true
}

// committedCriteria lists the criteria that need no plan.
func committedCriteria(t *turn, open []criteria.Criterion) (ids []string) {
	for _, c := range t.issue.criteria {
		if !slices.ContainsFunc(open, func(o criteria.Criterion) bool { return o.ID == c.ID }) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
