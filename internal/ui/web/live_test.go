package web

import (
	"bufio"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
)

// A hundred open pages get an update, which is rendered once.
func TestAnUpdateReachesAllPages(t *testing.T) {
	const pages = 100
	p := newProject(t, false)
	p.worked()
	p.read()
	s := httptest.NewServer(p.server)
	defer s.Close()
	var ready, done sync.WaitGroup
	ready.Add(pages)
	failed := make(chan error, pages)
	for range pages {
		done.Go(func() { failed <- followPage(s.URL, ready.Done) })
	}
	ready.Wait()
	if n := len(p.server.hub.topics); n != 1 {
		t.Fatalf("%d pages are rendered for one that %d look at", n, pages)
	}
	p.wrote(event.Outcome, evidence.Outcome{Issue: "9", Epoch: 7, Title: "A late one", Result: evidence.Merged})
	p.read()
	done.Wait()
	for range pages {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// followPage waits for the update on one page.
func followPage(server string, begun func()) error {
	var once sync.Once
	defer once.Do(begun)
	r, err := http.Get(server + "/events?page=/")
	if err != nil {
		return err
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data:") {
			once.Do(begun)
		}
		if strings.Contains(lines.Text(), "A late one") {
			return nil
		}
	}
	return fmt.Errorf("the stream ended: %w", lines.Err())
}

func TestOnlyPagesThatChangeAreFollowed(t *testing.T) {
	p := newProject(t, false)
	p.read()
	for path, code := range map[string]int{"/nothing": 404, "/health": 404, "/health?check=now": 404, "/metrics": 404, "/static/app.js": 404, "/events?page=/": 404, "/api/v1/items": 404, "//evil.invalid/": 400, "http://evil.invalid/": 400} {
		if w := p.do(p.request(http.MethodGet, "/events?page="+url.QueryEscape(path), "")); w.Code != code {
			t.Errorf("%q: %d, want %d", path, w.Code, code)
		}
	}
	if len(p.server.hub.topics) > 0 || len(p.lines) > 0 {
		t.Errorf("%v %q", p.server.hub.topics, p.lines)
	}
}

// What a page follows is itself, whatever is in its address.
func TestAPageFollowsItself(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	for at, want := range map[string]string{
		"/history?state=failed&kind=drive": "/history?state=failed&kind=drive", "/money?days=7": "/money?days=7",
		"/inbox?said=x": "/inbox", "/history?q=a%26b&said=x": "/history?q=a%26b", "/health": "",
	} {
		page := p.get(at)
		_, rest, _ := strings.Cut(page, `data-live="`)
		address, _, _ := strings.Cut(rest, `"`)
		u, err := url.Parse(html.UnescapeString(address))
		if err != nil || u.Path != "/events" || u.Query().Get("page") != want {
			t.Errorf("%s follows %s, want %s (%v)", at, address, want, err)
		}
	}
}

// A question is counted on every page the moment it is asked, and no longer once it is
// answered.
func TestQuestionsAreCountedLive(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	for _, path := range []string{"", "/money"} {
		c, leave, ok := p.server.subscribe(path)
		if !ok {
			t.Fatalf("%s cannot be followed", path)
		}
		defer leave()
		contains(t, string(<-c), "event: questions\ndata: 0\n")
		defer func() { contains(t, string(<-c), "event: questions\ndata: 1\n") }()
	}
	contains(t, p.get("/health"), `id="waiting" hidden><span>0</span>`)
	p.asked(questions.Question{By: questions.Agent, Text: "Which?", Options: []string{"a", "b"}}, 0)
	p.read()
	contains(t, p.get("/health"), `id="waiting"><span>1</span>`)
}

// One that takes nothing holds no one up, and has the newest when it looks again.
func TestASlowReaderGetsTheNewest(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	c, leave, _ := p.server.subscribe("/")
	for n := range 50 {
		p.wrote(event.Outcome, evidence.Outcome{Issue: "9", Epoch: 7, Title: fmt.Sprintf("Version %d.", n), Result: evidence.Merged})
		p.read()
	}
	contains(t, string(<-c), "Version 49.")
	if leave(); len(p.server.hub.topics) > 0 {
		t.Error("a page that no one looks at is still rendered")
	}
}

func TestOpenPagesAreBounded(t *testing.T) {
	p := newProject(t, false)
	p.read()
	for n := range maxTopics {
		if _, _, ok := p.server.subscribe(fmt.Sprint("/inbox?n=", n)); !ok {
			t.Fatal(n)
		}
	}
	if _, _, ok := p.server.subscribe("/inbox?n=more"); ok {
		t.Error("there is no end to it")
	}
}

// A person with a page open counts as present, until the last page is closed: the default of a
// question was taken at once while its owner looked at it.
func TestAnOpenPageIsAPerson(t *testing.T) {
	p := newProject(t, false)
	p.worked()
	p.read()
	present := 0
	p.server.Join = func() (func(), error) { present++; return func() { present-- }, nil }
	_, closeFirst, _ := p.server.subscribe("/")
	_, closeSecond, _ := p.server.subscribe("/money")
	if present != 1 {
		t.Errorf("%d present with two pages open", present)
	}
	closeFirst()
	if present != 1 {
		t.Errorf("%d present with one page open", present)
	}
	closeSecond()
	if present != 0 {
		t.Errorf("%d present without a page", present)
	}
}
