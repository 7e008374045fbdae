package evidence

import (
	"fmt"
	"math"
	"slices"
)

// ChunkReport returns the issue to file when the subject's chunk is committed.
func ChunkReport(b *Book, s Subject) (title, body string) {
	began := b.chunkBegan(s)
	s = s.of(b.places().criteria(s.Chunk, math.MaxInt))
	b = b.Chunk(s.Chunk)
	for i, c := range s.Criteria { // boxes are ticked later
		_, committed := Last(b.Commits, func(r Commit) bool { return !r.WIP && slices.Contains(r.Criteria, c.ID) })
		s.Criteria[i].Done = c.Done || committed
	}
	p := &paper{}
	p.put(s.about(fmt.Sprintf("Chunk %d of %d", s.Chunk, s.Total)))
	p.section("Criteria", proven(b, s))
	p.section("Commits", commits(b))
	p.section("Tests", tests(b))
	p.put(Quoted(lastFailure(b)))
	p.section("Cost and time", spent(b, began, s.Ended))
	p.section("Taken back", interventions(b))
	p.section("Decisions", decisions(b))
	p.section("What no one asked for", unasked(b))
	p.section("Gates", gates(b))
	p.section("Agent runs", runs(b))
	return fmt.Sprintf("warp-drive: %s chunk %d/%d", s.named(), s.Chunk, s.Total), p.body(s.Issue)
}

// BugDeferred returns the issue to file about a chunk that was given up.
func BugDeferred(b *Book, s Subject, given Skipped) (title, body string) {
	s.Chunk = given.Chunk
	began := b.chunkBegan(s)
	s = s.of(given.Criteria)
	for i, c := range s.Criteria { // an attempt may have ticked their boxes
		if slices.Contains(given.Criteria, c.ID) {
			s.Criteria[i].Done, s.Criteria[i].Skipped = false, true
		}
	}
	b = b.Chunk(given.Chunk)
	p := &paper{}
	p.put(s.about(fmt.Sprintf("Chunk %d of %d was given up: the work", given.Chunk, s.Total)))
	p.put("Why: " + code(spellReasons(given.Why)))
	if given.Kept != "" {
		p.put("Its partial work is kept as " + code(given.Kept) + ".")
	}
	p.section("Criteria", proven(b, s))
	p.section("What was tried", runs(b))
	p.section("Tests", tests(b))
	if words := lastFailure(b); words != "" {
		p.put("## Last failure")
		p.put(Quoted(words))
	}
	p.section("Gates", gates(b))
	p.section("Taken back", interventions(b))
	p.section("Cost and time", spent(b, began, s.Ended))
	p.put("To retry it: say in " + reference(s.Issue) + " what was missing, then `warp drive " + command(s.Issue) + "`.")
	return fmt.Sprintf("warp-drive: %s chunk %d/%d given up", s.named(), given.Chunk, s.Total), p.body(s.Issue)
}

// of returns the subject with only the given criteria, or with all if it has none of them.
func (s Subject) of(ids []string) Subject {
	var list []Named
	for _, c := range s.Criteria {
		if slices.Contains(ids, c.ID) {
			list = append(list, c)
		}
	}
	if len(list) > 0 {
		s.Criteria = list
	} else {
		s.Criteria = slices.Clone(s.Criteria)
	}
	return s
}

// chunkBegan returns when the previous chunk ended, or else when the session began.
func (b *Book) chunkBegan(s Subject) string {
	c, committed := Last(b.Commits, func(c Commit) bool { return c.Chunk != s.Chunk && !c.WIP })
	g, given := Last(b.Skips, func(g Skipped) bool { return g.Chunk != s.Chunk })
	switch {
	case committed && (!given || c.N > g.N):
		return c.At
	case given:
		return g.At
	}
	if len(b.Written) > 0 && b.Written[0].At > s.Started { // the session worked on another requirement before
		return b.Written[0].At
	}
	return s.Started
}

// about returns a page's first line.
func (s Subject) about(what string) string {
	text := what
	if s.Issue != "" {
		text += " of " + reference(s.Issue)
	}
	if s.Title != "" {
		text += ", " + code(s.Title)
	}
	if s.Branch != "" {
		text += ", on " + code(s.Branch)
	}
	if s.Level > 0 {
		text += fmt.Sprintf(", at level %d", s.Level)
	}
	text += "."
	if who := mention(s.User); who != "" {
		text += " For " + who + "."
	}
	return text
}

// named returns the subject's name for a title.
func (s Subject) named() string {
	if number(s.Issue) {
		return "#" + s.Issue
	}
	if s.Issue == "" {
		return "no issue,"
	}
	return plain(s.Issue)
}

// command returns the issue as an argument for warp.
func command(issue string) string {
	if number(issue) {
		return issue
	}
	return "N"
}
