package evidence

import (
	"encoding/json"
	"strings"

	"warp/internal/core/text"
)

// Limits of a summary: enough to see why to believe a criterion.
const (
	summaryWords = 300
	summaryNames = 5
)

// Within returns the account as JSON of at most that many bytes: complete if it fits, otherwise its
// summary with as many criteria as fit. Accounts travel through a fleet, whose histories must stay
// small.
func (a Account) Within(most int) (json.RawMessage, error) {
	words, err := json.Marshal(a)
	if err != nil || len(words) <= most {
		return words, err
	}
	a = a.summary()
	for {
		if words, err = json.Marshal(a); err != nil || len(words) <= most || len(a.Criteria) == 0 {
			return words, err
		}
		a.Criteria = a.Criteria[:len(a.Criteria)/2]
	}
}

// summary keeps the last commit, the last tests and the verdict of each criterion.
func (a Account) summary() Account {
	s := Account{Issue: a.Issue, Title: clip(a.Title), Cost: a.Cost, Contained: clip(a.Contained), Criteria: []Proof{},
		Commits: []Commit{}, Gates: []Gate{}, Tests: []Tested{}, Interventions: []Intervened{}, Decisions: []Decision{}, Filed: []Filed{}}
	if a.Outcome != nil {
		o := *a.Outcome
		o.Title, o.Why, o.Do = clip(o.Title), clip(o.Why), clip(o.Do)
		s.Outcome = &o
	}
	for _, p := range a.Criteria {
		p.Text, p.Why, p.Kept, p.With, p.Gates = clip(p.Text), clip(p.Why), clip(p.Kept), nil, []Gate{}
		p.Commits, p.Tests = newest(p.Commits), newest(p.Tests)
		for n := range p.Commits {
			c := &p.Commits[n]
			c.Subject, c.Criteria = clip(c.Subject), nil
		}
		for n := range p.Tests {
			t := &p.Tests[n]
			t.Excerpt, t.Log, t.Nameless, t.Command = "", "", nil, clip(t.Command)
			t.Failing, t.Broke = t.Failing[:min(len(t.Failing), summaryNames)], t.Broke[:min(len(t.Broke), summaryNames)]
		}
		if p.Verdict != nil {
			v := *p.Verdict
			v.Reason = clip(v.Reason)
			p.Verdict = &v
		}
		s.Criteria = append(s.Criteria, p)
	}
	return s
}

func clip(words string) string { return text.ClipRunes(words, summaryWords) }

func newest[T any](list []T) []T {
	return append([]T{}, list[max(0, len(list)-1):]...)
}

// Brief is one line of the evidence about a criterion.
type Brief struct {
	Label, Text string
	Good        bool
}

// Brief returns the criterion's last commit, its last tests, its verdict, and why it was given up.
func (p Proof) Brief() (list []Brief) {
	if n := len(p.Commits); n > 0 {
		c := p.Commits[n-1]
		list = append(list, Brief{"commit", strings.TrimSpace(text.Hash(c.Hash) + " " + c.Subject), true})
	}
	if n := len(p.Tests); n > 0 {
		t := p.Tests[n-1]
		words := t.Said()
		if failing := append(append([]string{}, t.Broke...), t.Failing...); !t.Passed && len(failing) > 0 {
			words += ": " + text.List(failing, 3)
		}
		list = append(list, Brief{"tests", words, t.Passed})
	}
	if words := p.Proven.Words(); words != "" {
		list = append(list, Brief{"proof", words, p.Proven.Holds() || p.Proven.How == ByReading && !p.Proven.Lost})
	}
	if words := p.Proven.Agreed(); words != "" && !p.Met {
		list = append(list, Brief{"contract", words, true})
	}
	if v := p.Verdict; v != nil {
		words := "not met"
		if v.Met {
			words = "met"
		}
		if v.Reason != "" {
			words += ": " + v.Reason
		}
		list = append(list, Brief{"verdict", words, v.Met})
	}
	if p.Why != "" {
		list = append(list, Brief{"why", p.Why, false})
	}
	return list
}
