package nightreport

import (
	"fmt"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// groups are the results in the headline, in this order.
var groups = []struct {
	one, several string
	result       evidence.Result
}{
	{"merged", "merged", evidence.Merged},
	{"in a pull request", "in pull requests", evidence.Pull},
	{"partly done", "partly done", evidence.Partly},
	{"failed", "failed", evidence.Failed},
	{"needs you", "need you", evidence.Person},
	{"out of budget", "out of budget", evidence.Budget},
	{"stopped", "stopped", evidence.Stopped},
}

// Headline returns the account in one line: 2 merged, 1 failed, 1 passed over: $1.47 of $5.00, 1 h
// 9 min.
func (a Report) Headline() string {
	var counts []string
	add := func(n int, words string) {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, words))
		}
	}
	for _, g := range groups {
		n := 0
		for _, e := range a.Ends {
			if e.Outcome.Result == g.result {
				n++
			}
		}
		words := g.several
		if n == 1 {
			words = g.one
		}
		add(n, words)
	}
	add(len(a.Passed), "passed over")
	if n := len(a.Asks); n > 0 {
		counts = append(counts, text.Count(n, "question")+" for you")
	}
	if len(counts) == 0 {
		return "nothing to do"
	}
	return strings.Join(counts, ", ") + ": " + a.money() + ", " + text.Span(between(a.Began, a.Ended).Seconds())
}

func (a Report) money() string {
	spent := priced(a.MicroUSD, a.Unpriced)
	if a.Cap > 0 {
		spent += " of " + evidence.Dollars(a.Cap)
	}
	return spent
}

// priced formats a cost, as far as agents reported it.
func priced(micro int64, unpriced bool) string {
	switch {
	case unpriced && micro == 0:
		return "cost unknown"
	case unpriced:
		return "at least " + evidence.Dollars(micro)
	}
	return evidence.Dollars(micro)
}

// Line is one item of a report, with the command that helps.
type Line struct {
	Mark string
	Text string
	Do   string
}

var marks = map[evidence.Result]string{evidence.Merged: "✓", evidence.Pull: "✓", evidence.Partly: "▸", evidence.Budget: "‖", evidence.Person: "?", evidence.Failed: "✗", evidence.Stopped: "‖"}

var words = map[evidence.Result]string{evidence.Pull: "pull request open", evidence.Partly: "partly done", evidence.Budget: "out of budget", evidence.Person: "needs you"}

// Lines returns the issues one by one, then those passed over, then the questions.
func (a Report) Lines() (list []Line) {
	for _, e := range a.Ends {
		o := e.Outcome
		if o.Result == evidence.NoWork {
			continue
		}
		said := words[o.Result]
		if said == "" {
			said = string(o.Result)
		}
		l := Line{Mark: marks[o.Result], Text: fmt.Sprintf("%s: %s, %s, %s", name(o.Issue, o.Title), said, priced(e.MicroUSD, e.Unpriced), text.Span(e.Seconds)), Do: "warp evidence " + o.Issue}
		if o.Why != "" {
			l.Text += ": " + text.FirstLine(o.Why)
		}
		if o.Pull != "" {
			l.Text += ": " + o.Pull
		}
		if o.Do != "" {
			l.Do = o.Do
		}
		list = append(list, l)
	}
	for _, i := range a.Passed {
		list = append(list, Line{Mark: "·", Text: fmt.Sprintf("%s: passed over: %s", name(i.Number, i.Title), i.Passed), Do: i.Do})
	}
	for _, q := range a.Asks {
		l := Line{Mark: "?", Text: q.ID + " asks: " + text.FirstLine(q.Text), Do: "warp answer " + q.ID}
		if q.Issue != "" {
			l.Text = "#" + q.Issue + " " + l.Text
		}
		if q.Taken != "" {
			l.Text += " (took the default: " + q.Taken + ")"
		}
		list = append(list, l)
	}
	return list
}

func name(issue, title string) string { return strings.TrimSpace("#" + issue + " " + title) }

// Text formats the account for people: in a terminal, a message, a filed issue.
func (a Report) Text() string {
	var b strings.Builder
	b.WriteString(a.Headline())
	for _, l := range a.Lines() {
		b.WriteString("\n" + l.Mark + " " + l.Text)
		if l.Do != "" {
			b.WriteString("\n    " + l.Do)
		}
	}
	if a.Why != "" {
		b.WriteString("\n" + a.Why)
	}
	return b.String() + "\n"
}
