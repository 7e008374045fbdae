package evidence

import (
	"strings"

	"warp/internal/core/text"
)

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
