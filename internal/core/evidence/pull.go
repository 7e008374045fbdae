package evidence

import (
	"fmt"
	"strconv"

	"warp/internal/core/scope"
	"warp/internal/core/text"
)

// PullBody returns the text of a requirement's pull request. It closes the issue only if all
// criteria are done.
func PullBody(b *Book, s Subject) string {
	p := &paper{}
	p.section("Look at this first: no one asked for it", points(s.Unasked))
	p.put(b.redSuite())
	if open := s.only(false).Criteria; len(open) == 0 {
		closes := "Closes " + reference(s.Issue)
		for _, n := range s.Settles {
			closes += "\nCloses " + reference(strconv.Itoa(n))
		}
		p.put(closes)
	} else {
		p.put(fmt.Sprintf("Part of %s: %d of %d criteria are not done.", reference(s.Issue), len(open), len(s.Criteria)))
	}
	p.put(s.about("The work"))
	p.proof(b, s)
	return p.body(s.Issue)
}

// ClosingComment returns the comment on an issue whose work was merged; commit is the head of the
// merge target.
func ClosingComment(b *Book, s Subject, commit string) string {
	p := &paper{}
	p.put(b.redSuite())
	text := "Merged"
	if commit != "" {
		text += " as " + hash(commit)
	}
	if who := mention(s.User); who != "" {
		text += ", for " + who
	}
	p.put(text + ".")
	p.section("What no one asked for", unasked(b))
	p.proof(b, s)
	return p.body(s.Issue)
}

// proof adds the evidence for the work.
func (p *paper) proof(b *Book, s Subject) {
	p.section("Criteria", proven(b, s))
	p.section("Commits", commits(b))
	p.section("Tests", last(tests(b), 5))
	p.section("Cost and time", spent(b, s.Started, s.Ended))
	p.section("Taken back", interventions(b))
	p.section("Decisions", decisions(b))
	p.section("Gates", gates(b))
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

// RedSuite says in one line that the test suite is red, as before; "" if it is green.
func (b *Book) RedSuite() string {
	failing, red := b.failingAsBefore()
	switch {
	case !red:
		return ""
	case len(failing) == 0:
		return "the test suite is red, as it was before this work"
	}
	return "the test suite is red, as it was before this work: " + text.Quote(failing, 5)
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
		item := code(p.File) + ": " + code(p.Why)
		if p.By != "" {
			item += ", says the verifier"
		}
		items = append(items, item)
	}
	return items
}
