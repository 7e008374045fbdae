package web

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
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

func TestOnlyPagesAreFollowed(t *testing.T) {
	p := newProject(t, false)
	p.read()
	for path, code := range map[string]int{"/nothing": 404, "//evil.invalid/": 400, "/events?page=/": 400, "/api/v1/items": 400, "": 400, "http://evil.invalid/": 400} {
		if w := p.do(p.request(http.MethodGet, "/events?page="+path, "")); w.Code != code {
			t.Errorf("%q: %d, want %d", path, w.Code, code)
		}
	}
	if len(p.server.hub.topics) > 0 {
		t.Errorf("%v", p.server.hub.topics)
	}
}
