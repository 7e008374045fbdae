package evidence

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// SessionSummary returns the issue to file when a session ends. The book covers the whole session,
// perhaps several requirements; the subject is the last.
func SessionSummary(b *Book, s Subject) (title, body string) {
	var all []Account
	good := 0
	for _, issue := range b.worked() {
		a := b.Account(issue)
		if issue == s.Issue {
			a.fill(s)
		}
		if a.Outcome != nil && a.Outcome.Result.Good() {
			good++
		}
		all = append(all, a)
	}
	p := &paper{}
	head := fmt.Sprintf("%d of %s done.", good, text.Count(len(all), "requirement"))
	if who := mention(s.User); who != "" {
		head += " For " + who + "."
	}
	p.put(head)
	p.section("Cost and time", spent(b, s.Started, s.Ended))
	var items []string
	for _, a := range all {
		items = append(items, a.line())
	}
	p.section("Requirements", items)
	for _, a := range all {
		part := b.Of(a.Issue, 0)
		about := func(what string) string { return what + " for " + reference(a.Issue) }
		p.section(about("Criteria"), proven(part, Subject{Criteria: a.named()}))
		p.section(about("Tests"), last(tests(part), 3))
		p.section(about("Decisions"), decisions(part))
		p.section(about("Filed"), filed(part))
	}
	p.section("Taken back", interventions(b))
	title = "warp-drive: session summary"
	if day, _, ok := strings.Cut(s.Ended, "T"); ok {
		title += " " + plain(day)
	}
	return fmt.Sprintf("%s: %d of %d done", title, good, len(all)), p.body("")
}

// fill adds what the subject knows about its requirement.
func (a *Account) fill(s Subject) {
	if a.Title == "" {
		a.Title = s.Title
	}
	for _, c := range s.Criteria {
		if i := slices.IndexFunc(a.Criteria, func(p Proof) bool { return p.ID == c.ID }); i >= 0 {
			a.Criteria[i].Text = c.Text
			continue
		}
		a.Criteria = append(a.Criteria, Proof{ID: c.ID, Text: c.Text, Status: c.status()})
	}
}

func (a Account) named() (list []Named) {
	for _, p := range a.Criteria {
		list = append(list, Named{ID: p.ID, Text: p.Text, Done: p.Status.Good(), Skipped: p.Status == GivenUp})
	}
	return list
}

// line describes a requirement's outcome.
func (a Account) line() string {
	o := Outcome{}
	if a.Outcome != nil {
		o = *a.Outcome
	}
	text := fmt.Sprintf("%s %s: %s", reference(a.Issue), code(a.Title), o.Result.Words())
	if o.Commit != "" {
		text += ", " + hash(o.Commit)
	}
	if o.Pull != "" {
		text += ", " + link(o.Pull)
	}
	text += "; cost " + a.Cost.Money()
	if o.Why != "" {
		text += "\n  - why: " + code(o.Why)
	}
	if o.Do != "" {
		text += "\n  - what to do: " + code(o.Do)
	}
	return text
}

// AbortReport returns the issue to file when a drive is aborted. Kept is the commit or reference
// with the work in progress; "" if there was none.
func AbortReport(b *Book, s Subject, why, kept string) (title, body string) {
	p := &paper{}
	p.put(s.about("The drive was aborted: the work"))
	p.put("Why: " + code(why) + ".")
	if kept != "" {
		p.put("The work in progress is kept as " + hash(kept) + ".")
	} else {
		p.put("There was no work in progress to keep.")
	}
	p.section("Done", proven(b, s.only(true)))
	p.section("Open", proven(b, s.only(false)))
	p.section("Commits", commits(b))
	p.section("Tests", last(tests(b), 5))
	p.put(Quoted(lastFailure(b)))
	p.section("Cost and time", spent(b, s.Started, s.Ended))
	p.section("Taken back", interventions(b))
	p.section("Decisions", decisions(b))
	if number(s.Issue) {
		p.put("To resume it: `warp drive " + s.Issue + "`.")
	}
	return "warp-drive: " + s.named() + " aborted", p.body(s.Issue)
}

func last(items []string, n int) []string { return items[max(0, len(items)-n):] }
