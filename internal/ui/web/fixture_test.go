package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
)

// project is a folder with a journal that is written by hand, and its server.
type project struct {
	*testing.T
	drive  *turnstile.Drive
	env    turnstile.Env
	now    time.Time
	server *Server
	door   *Door
	lines  [][]string // that buttons ran
	say    func(args []string) Said
	shows  int    // how often the fleet was asked for a requirement
	evil   string // in what it said
}

func newProject(t *testing.T, control bool) *project {
	t.Helper()
	return newProjectWith(t, Options{Control: control})
}

func newProjectWith(t *testing.T, o Options) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, ".claude"), 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &project{T: t, env: turnstile.System(), now: time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)}
	p.env.Now = func() time.Time { return p.now }
	p.drive = turnstile.Open(dir, p.env)
	p.say = func([]string) Said { return Said{Text: "done"} }
	warp := func(_ context.Context, _ string, args ...string) Said {
		p.lines = append(p.lines, args)
		return p.say(args)
	}
	o.Project, o.Env, o.Warp = p.drive, p.env, warp
	p.server, err = New(o)
	if err != nil {
		t.Fatal(err)
	}
	p.door = &Door{Next: p.server, Scheme: "http", Port: "8080", Private: true, Token: "a token for the tests", CSRF: p.server.CSRF}
	return p
}

func (p *project) wrote(kind string, row any) {
	p.Helper()
	p.now = p.now.Add(time.Minute)
	if err := p.drive.Store().Append(kind, row); err != nil {
		p.Fatal(err)
	}
}

func (p *project) asked(q questions.Question, wait time.Duration) questions.Item {
	p.Helper()
	item, err := inbox.Open(p.drive.Project.Home(), p.env.Now, inbox.Hear{}).Put(q, wait)
	if err != nil {
		p.Fatal(err)
	}
	return item
}

// read lets the server see what there is now.
func (p *project) read() {
	p.Helper()
	f, err := p.server.reader.Read()
	if err != nil {
		p.Fatal(err)
	}
	if p.server.now.Swap(f) == nil {
		close(p.server.first)
	}
	p.server.publish()
}

// request is one that a browser would make which was let in.
func (p *project) request(method, path, form string) *http.Request {
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(form))
	r.Header.Set("Authorization", "Bearer "+p.door.Token)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1:8080")
		r.Header.Set("X-CSRF-Token", p.server.CSRF)
	}
	return r
}

func (p *project) do(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.door.ServeHTTP(w, r)
	return w
}

func (p *project) get(path string) string {
	p.Helper()
	w := p.do(p.request(http.MethodGet, path, ""))
	if w.Code != http.StatusOK {
		p.Fatalf("GET %s: %d\n%s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// worked writes a night: one issue merged, one not.
func (p *project) worked() {
	p.wrote(event.Criteria, evidence.Written{Issue: "7", Epoch: 5, Criteria: []evidence.Criterion{{ID: "AC-01", Text: "It greets"}, {ID: "AC-02", Text: "It leaves"}}})
	p.wrote(event.Run, evidence.Run{Issue: "7", Epoch: 5, Chunk: 1, Role: "code", Agent: "demo", End: "done", Criteria: []string{"AC-01"}, MicroUSD: 1_250_000, Input: 9000, Seconds: 61})
	p.wrote(event.Intervened, evidence.Intervened{Issue: "7", Epoch: 5, What: "destroyed", Text: "reset --hard was undone", Kept: "refs/warp/kept/1"})
	p.wrote(event.Gate, evidence.Gate{Issue: "7", Epoch: 5, Chunk: 1, Event: "code_complete", Gate: "make lint", Reason: "unused variable", Excerpt: "a.go:3 unused"})
	p.wrote(event.Verdict, evidence.Verdict{Issue: "7", Epoch: 5, Chunk: 1, ID: "AC-01", Met: true, Reason: "the test shows it", Agent: "judge"})
	p.wrote(event.Commit, evidence.Commit{Issue: "7", Epoch: 5, Chunk: 1, Hash: "0123456789abcdef0123456789abcdef01234567", Subject: "feat: greet", Criteria: []string{"AC-01"}, Files: 1, Insertions: 3})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "7", Epoch: 5, Title: "Greet people", Result: evidence.Merged})
	p.wrote(event.Run, evidence.Run{Issue: "8", Epoch: 6, Role: "code", Agent: "demo", End: "failed", MicroUSD: 500_000})
	p.wrote(event.Outcome, evidence.Outcome{Issue: "8", Epoch: 6, Title: "Store it", Result: evidence.Failed, Why: "TestStore fails"})
}

func contains(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%s", w, text)
		}
	}
}
