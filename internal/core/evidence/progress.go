package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Progress returns the one comment that says what became of a requirement so far; status is how the
// work stands, or "" while it goes on.
func Progress(b *Book, s Subject, status string) string {
	open := len(s.only(false).Criteria)
	p := &paper{}
	head := "**" + cmp.Or(status, "At work.") + "**"
	if open > 0 {
		head += fmt.Sprintf(" %d of %s done.", len(s.Criteria)-open, text.Count(len(s.Criteria), "criterion"))
	}
	if s.Branch != "" {
		head += " Branch " + code(s.Branch) + "."
	}
	if who := mention(s.User); who != "" {
		head += " For " + who + "."
	}
	p.put(head)
	p.put(b.redSuite())
	p.section("What no one asked for", unasked(b))
	p.section("Criteria", delivered(b, s))
	if open > 0 {
		p.put(Quoted(lastFailure(b)))
	}
	p.section("What to look at", toReview(b, s))
	p.section("Decisions", decisions(b))
	p.section("Answers that could not be used", unused(b))
	p.section("Lessons", lessons(b))
	p.put(b.Cost(0).Known())
	if number(s.Issue) {
		p.put("`warp evidence " + s.Issue + "` shows all of it.")
	}
	return p.body(s.Issue)
}

// lessons lists what the runs learned, each once.
func lessons(b *Book) (items []string) {
	for _, r := range b.Runs {
		for _, lesson := range r.Row.Lessons {
			if item := inline(lesson); item != "" && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	return items
}

// DescribeEnd says in one sentence how a requirement ended.
func DescribeEnd(o Outcome) string {
	switch {
	case o.Result == Merged && o.Commit != "":
		return "Merged as " + hash(o.Commit) + "."
	case o.Result == Merged:
		return "Merged."
	case o.Result == Pull && o.Pull != "":
		return "Waits for a person to merge " + link(o.Pull) + "."
	}
	words := o.Result.Words()
	words = strings.ToUpper(words[:1]) + words[1:]
	if o.Why != "" {
		words += ": " + inline(o.Why)
	}
	return words + "."
}

// DescribeAbort says why a drive was aborted, and where its work in progress is.
func DescribeAbort(why, kept string) string {
	words := "Not done: " + inline(spellReasons(why)) + "."
	if kept != "" {
		words += " The work in progress is kept as " + hash(kept) + "."
	}
	return words
}
