package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/scope"
	"warp/internal/core/text"
)

// Contents is what a branch brings.
type Contents struct {
	Changes      []Change
	ChangedTests []string // files of tests that were there before, and did not only grow
	Unproved     []string // criteria whose commits touch no test
}

// Change is a commit, with what its author says of it.
type Change struct{ Hash, Subject, Said string }

// PullBody returns the text of a requirement's pull request: what was changed and why, which
// criterion is met by what, and what to look at. It closes the issue only if all criteria are done.
func PullBody(b *Book, s Subject) string {
	p := &paper{}
	p.changes(s)
	closes := "Closes " + reference(s.Issue)
	if open := s.only(false).Criteria; len(open) > 0 {
		closes = fmt.Sprintf("Part of %s: %d of %d criteria are not done.", reference(s.Issue), len(open), len(s.Criteria))
	} else {
		for _, n := range s.Settles {
			closes += "\nCloses " + reference(strconv.Itoa(n))
		}
	}
	p.put(closes)
	if who := mention(s.User); who != "" {
		p.put("For " + who + ".")
	}
	p.put(b.redSuite())
	p.section("Look at this first: no one asked for it", points(s.Unasked))
	p.proof(b, s)
	return p.body(s.Issue)
}

// ClosingComment returns the comment on an issue whose work was merged; commit is the head of the
// merge target.
func ClosingComment(b *Book, s Subject, commit string) string {
	p := &paper{}
	p.merged(b, s, commit)
	p.changes(s)
	p.section("What no one asked for", unasked(b))
	p.proof(b, s)
	return p.body(s.Issue)
}

// MergedComment is a ClosingComment where another comment has the evidence (Progress).
func MergedComment(b *Book, s Subject, commit string) string {
	p := &paper{}
	p.merged(b, s, commit)
	p.changes(s)
	p.section("What no one asked for", unasked(b))
	p.section("What to look at", toReview(b, s))
	return p.body(s.Issue)
}

func (p *paper) merged(b *Book, s Subject, commit string) {
	text := "Merged"
	if commit != "" {
		text += " as " + hash(commit)
	}
	if who := mention(s.User); who != "" {
		text += ", for " + who
	}
	p.put(text + ".")
	p.put(b.redSuite())
}

// maxChanges limits what commits say of themselves, in bytes; the others are only named.
const maxChanges = 20_000

// Describe says in paragraphs what was changed, by each commit if there are several; issue is the one
// behind their subjects.
func (c Contents) Describe(issue string) (parts []string) {
	size := 0
	for _, one := range c.Changes {
		subject, said := inline(strings.TrimSuffix(one.Subject, " (#"+issue+")")), prose(one.Said)
		if len(c.Changes) > 1 {
			parts = append(parts, fmt.Sprintf("**%s** (%s)", cmp.Or(subject, "(no subject)"), hash(one.Hash)))
		} else {
			said = cmp.Or(said, subject)
		}
		if size += len(said); said != "" && size < maxChanges {
			parts = append(parts, said)
		}
	}
	return parts
}

// ToReview lists what a person should look at.
func (c Contents) ToReview() (items []string) {
	if len(c.ChangedTests) > 0 {
		items = append(items, "tests that were there before and are changed: "+codes(c.ChangedTests))
	}
	for _, id := range c.Unproved {
		items = append(items, inline(id)+": no test was changed with it, so it is judged by reading only")
	}
	return items
}

// changes says what was changed and why.
func (p *paper) changes(s Subject) {
	parts := s.Contents.Describe(s.Issue)
	if len(parts) == 0 {
		parts = []string{inline(s.Title)}
	}
	for _, part := range parts {
		p.put(part)
	}
}

// proof adds the evidence for the work.
func (p *paper) proof(b *Book, s Subject) {
	p.section("Criteria", delivered(b, s))
	p.section("What to look at", toReview(b, s))
	p.section("Decisions", decisions(b))
	p.put(b.Cost(0).Known())
}

// delivered lists each criterion with its verdict, its commits and their tests.
func delivered(b *Book, s Subject) (items []string) {
	proofs, shown := b.proofs(), ""
	for n, item := range proven(b, s) {
		i := slices.IndexFunc(proofs, func(p Proof) bool { return p.ID == s.Criteria[n].ID })
		if i >= 0 && len(proofs[i].Commits) > 0 && len(proofs[i].Tests) > 0 {
			t := proofs[i].Tests[len(proofs[i].Tests)-1]
			item += "; tests " + t.Said()
			if t.Command != shown && !t.NotRun {
				item += ": " + code(t.Command)
				shown = t.Command
			}
		}
		items = append(items, item)
	}
	return items
}

// toReview lists what a person should look at, since no test or criterion covers it.
func toReview(b *Book, s Subject) (items []string) {
	items = s.Contents.ToReview()
	for _, g := range Settled(rows(b.Gates)) {
		if g.Passed && g.Reason != "" {
			items = append(items, inline(g.Reason))
		}
	}
	if e, known := Last(b.Tests, nil); known && e.Row.NotRun {
		items = append(items, "no tests were run, as the settings say")
	}
	return items
}

// Known says what the work cost, as far as that is known, in a sentence; "" if nothing is.
func (c Cost) Known() string {
	var parts []string
	if c.Runs > 0 && c.Unpriced == 0 {
		parts = append(parts, Dollars(c.MicroUSD))
	}
	if c.Tokens > 0 {
		parts = append(parts, text.Thousands(c.Tokens)+" tokens")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Cost: " + strings.Join(parts, ", ") + "."
}

// redSuite returns the first line of a page about work with a red test suite: the tests that fail,
// as before. It returns "" if the suite is green.
func (b *Book) redSuite() string {
	failing, red := b.failingAsBefore()
	if !red {
		return ""
	}
	words := "the runner does not name the failing tests"
	if len(failing) > 0 {
		words = codes(failing)
	}
	return fmt.Sprintf("**The test suite is red**: %s. It already failed before this work, and nothing new fails.", words)
}

// RedAsBefore says that the tests fail that failed before the work.
const RedAsBefore = "the test suite is red, as it was before this work"

// RedSuite says in one line that the test suite is red, as before; "" if it is green.
func (b *Book) RedSuite() string {
	failing, red := b.failingAsBefore()
	switch {
	case !red:
		return ""
	case len(failing) == 0:
		return RedAsBefore
	}
	return RedAsBefore + ": " + text.Quote(failing, 5)
}

func (b *Book) failingAsBefore() (failing []string, red bool) {
	e, ok := Last(b.Tests, func(t Tested) bool {
		return !t.OfChunk() && t.Stage != "baseline" && t.Stage != "clean_baseline" && !t.NotRun
	})
	return e.Row.Failing, ok && e.Row.Red
}

// only returns the subject with the criteria that are done, or with the others.
func (s Subject) only(done bool) Subject {
	var list []Named
	for _, c := range s.Criteria {
		if (c.status() == Met) == done {
			list = append(list, c)
		}
	}
	s.Criteria = list
	return s
}

func points(list []scope.Point) (items []string) {
	for _, p := range list {
		items = append(items, point(p))
	}
	return items
}

func point(p scope.Point) string {
	item := code(p.File) + ": " + inline(p.Why)
	if p.By != "" {
		item += " (says the verifier)"
	}
	return item
}
