package web

import (
	"net/http"
	"strings"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
)

func TestWhatTheMoneyWasSpentOn(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	page := p.get("/money")
	// 7 was merged with one criterion that holds; it pays for 8, which failed.
	contains(t, page, `<a href="/money" aria-current="page">Money</a>`, "<dd>$1.75</dd>", "<dd>$1.75 <small>of 1</small></dd>", "Spent on unmerged work</dt><dd>$0.50</dd>", `<a href="/issue/7">#7</a> Greet people`, "Tokens by kind", "9,000")
	if strings.Contains(page, " style=") || strings.Count(page, "<svg class") != 1 || strings.Count(page, "<figure") != 2 {
		t.Errorf("%s", page)
	}
}

// A period has what fell into it, and the table for a spreadsheet has the same.
func TestAPeriodOfMoney(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.now = p.now.AddDate(0, 0, 10)
	p.wrote(event.Run, evidence.Run{Issue: "9", Role: "code", Agent: "demo", Model: "opus", End: "done", MicroUSD: 300_000})
	p.read()
	contains(t, p.get("/money"), "<dd>$2.05</dd>")
	contains(t, p.get("/money?days=all"), "<dd>$2.05</dd>")
	week := p.get("/money?days=7")
	contains(t, week, "<dd>$0.30</dd>", `href="/money.csv?days=7"`)
	if strings.Contains(week, "Greet people") {
		t.Error(week)
	}
	w := p.do(p.request(http.MethodGet, "/money.csv?days=7", ""))
	if got := w.Header().Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("the table is %s", got)
	}
	if got := w.Body.String(); !strings.Contains(got, "\nissue,,9,,under way,0,1,0,0,0.3,0\n") || strings.Contains(got, "Greet people") {
		t.Error(got)
	}
}

// Costs that no agent has reported are not known, not $0.00.
func TestUnknownCostsAreNotZero(t *testing.T) {
	p := newProject(t, false)
	p.wrote(event.Criteria, evidence.Written{Issue: "7", Epoch: 5, Criteria: []evidence.Criterion{{ID: "AC-01", Text: "it greets"}}})
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Chunk: 1, Role: "code", Agent: "command", End: "done", Unpriced: true})
	p.wrote(event.Verdict, evidence.Verdict{Issue: "7", Epoch: 5, Chunk: 1, ID: "AC-01", Met: true})
	p.wrote(event.Commit, evidence.Commit{Issue: "7", Epoch: 5, Chunk: 1, Hash: "abc", Criteria: []string{"AC-01"}})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Title: "Greet people", Result: evidence.Merged})
	p.read()
	contains(t, p.get("/history"), "1 of 1 done, unknown")
	contains(t, p.get("/money"), "<dd>unknown <small>of 1</small></dd>")
	for _, path := range []string{"/money", "/history", "/", "/issue/7"} {
		if page := p.get(path); strings.Contains(page, "$0.00") {
			t.Errorf("%s: %s", path, page)
		}
	}
}

func TestNoMoneyYet(t *testing.T) {
	p := newProject(t, false)
	p.read()
	contains(t, p.get("/money"), "No agent ran in this period.", "unknown yet")
}

func TestFiguresForPrometheus(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	contains(t, p.get("/metrics"), "# TYPE warp_", "1.75")
}
