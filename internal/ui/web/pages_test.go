package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/core/questions"
)

func TestTheNightIsOnTheFirstPage(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	page := p.get("/")
	board := page[strings.Index(page, `id="column-ready"`):]
	merged, rest, _ := strings.Cut(board[strings.Index(board, `id="column-merged"`):], `id="column-not-merged"`)
	contains(t, merged, "#7", "Greet people", "1 of 2 criteria met", "$1.25")
	contains(t, rest, "#8", "Store it", "TestStore fails", "failed")
	contains(t, page, "$1.75", "Read-only", "<svg")
	if strings.Contains(page, "<form method=\"post\"") {
		t.Error("a page that is only read has a button")
	}
}

func TestTheEvidenceOfAnIssue(t *testing.T) {
	p := newProject(t, true)
	p.worked()
	p.read()
	page := p.get("/issue/7")
	contains(t, page, "#7 Greet people", "AC-01", "It greets", "the test shows it", "/issue/7/diff/0123456789abcdef", "reset --hard was undone", "refs/warp/kept/1", "make lint", "a.go:3 unused", "<svg", "$1.25")
	contains(t, p.get("/issue/8"), `action="/do/resume/drive/8"`, "Retry")
	if w := p.do(p.request(http.MethodGet, "/issue/99", "")); w.Code != http.StatusNotFound {
		t.Errorf("an unknown issue: %d", w.Code)
	}
	if w := p.do(p.request(http.MethodGet, "/issue/7/diff/fedcba9876543210fedcba9876543210fedcba98", "")); w.Code != http.StatusNotFound {
		t.Errorf("a commit that is not the issue's: %d", w.Code)
	}
}

func TestTheHistoryIsFiltered(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	all := p.get("/history")
	contains(t, all, "Greet people", "Store it", `href="/issue/7?drive=5"`, "Night of")
	if some := p.get("/history?state=failed"); strings.Contains(some, "Greet people") || !strings.Contains(some, "Store it") {
		t.Error(some)
	}
	if none := p.get("/history?kind=loop"); !strings.Contains(none, "Nothing here fits") {
		t.Error(none)
	}
	contains(t, p.get("/issue/7?drive=5"), "Greet people")
}

func TestQuestionsAreAnsweredByTheCommand(t *testing.T) {
	p := newProject(t, true)
	q := p.asked(questions.Question{By: questions.Agent, Text: "Which store?", Options: []string{"sqlite", "postgres"}, Default: "sqlite", Issue: "7"}, 10*time.Minute)
	p.read()
	contains(t, p.get("/inbox"), "Which store?", `value="postgres"`, "Take the default: sqlite", `datetime="2026-11-14T20:10:00Z" data-until`)
	w := p.do(p.request(http.MethodPost, "/answer/"+q.ID, "say=postgres&back=/inbox"))
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/inbox?said=") {
		t.Fatalf("%d %s\n%s", w.Code, w.Header(), w.Body)
	}
	contains(t, p.get(w.Header().Get("Location")), "warp answer q1 -- postgres", "done")
	p.do(p.request(http.MethodPost, "/answer/"+q.ID, "say=neither+of+them"))
	if got := strings.Join(p.lines[len(p.lines)-1], " "); got != "answer q1 --other -- neither of them" {
		t.Error(got)
	}
	if w := p.do(p.request(http.MethodPost, "/answer/q9", "say=postgres")); w.Code != http.StatusNotFound {
		t.Errorf("a question that there is not: %d", w.Code)
	}
}

func TestAPageElsewhereIsNotLedTo(t *testing.T) {
	p := newProject(t, true)
	p.worked()
	p.read()
	for _, back := range []string{"https://evil.invalid/", "//evil.invalid", "javascript:alert(1)", ""} {
		w := p.do(p.request(http.MethodPost, "/do/resume/drive/8", "back="+back))
		if at := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/?said=") {
			t.Errorf("%q: %d %q", back, w.Code, at)
		}
	}
}
