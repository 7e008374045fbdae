package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAnAccountWithinABound(t *testing.T) {
	const most = 64 << 10
	long := strings.Repeat("x", 3_000)
	account := func(criteria int, reason string) Account {
		a := Account{Issue: "7", Title: "Greet", Gates: []Gate{{Gate: "lint", Excerpt: reason}}, Outcome: &Outcome{Result: Merged, Why: reason}}
		for range criteria {
			a.Criteria = append(a.Criteria, Proof{ID: "AC-01", Text: "It greets", Met: true, Gates: []Gate{{Excerpt: reason}},
				Commits: []Commit{{Hash: "1"}, {Hash: "2", Subject: reason}}, Tests: []Tested{{Stage: "chunk"}, {Stage: "chunk", Passed: true, Excerpt: reason}}, Verdict: &Verdict{Met: true, Reason: reason}})
		}
		return a
	}
	for _, c := range []struct {
		name           string
		account        Account
		gates, commits int // that are kept
		criteria       int // at least
	}{
		{"a small one is whole", account(3, "short"), 1, 2, 3},
		{"of a large one the summary is kept", account(20, long), 0, 1, 20},
		{"a huge one has as many criteria as fit", account(500, long), 0, 1, 30},
	} {
		whole := c.account.Criteria[0].Verdict.Reason
		words, err := c.account.Within(most)
		var got Account
		if err != nil || len(words) > most || json.Unmarshal(words, &got) != nil {
			t.Fatalf("%s: %d bytes, %v", c.name, len(words), err)
		}
		if len(got.Criteria) < c.criteria || len(got.Gates) != c.gates || len(got.Criteria[0].Commits) != c.commits {
			t.Errorf("%s: %d criteria, %d gates, %d commits", c.name, len(got.Criteria), len(got.Gates), len(got.Criteria[0].Commits))
		}
		p := got.Criteria[0]
		if p.Commits[len(p.Commits)-1].Hash != "2" || !p.Tests[len(p.Tests)-1].Passed || !p.Verdict.Met || p.Verdict.Reason == "" || got.Outcome.Result != Merged {
			t.Errorf("%s: %+v", c.name, p)
		}
		if c.account.Criteria[0].Verdict.Reason != whole {
			t.Errorf("%s: the account itself was changed", c.name)
		}
	}
}
