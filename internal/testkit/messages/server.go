package messages

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// patience is how long Await waits: many times what a client needs on a machine
// that is busy.
const patience = time.Minute

// A Server answers by a script until its test ends.
type Server struct {
	URL string // to be given to the client as ANTHROPIC_BASE_URL

	t      testing.TB
	script Script
	pick   func(text string) string
	closed chan struct{} // the test has ended: nothing is held back any longer

	mu       sync.Mutex
	requests []Request
	more     chan struct{} // closed, and made anew, at each request
	failed   map[string]int
}

// Serve starts a server that the end of the test ends.
func Serve(t testing.TB, script Script) *Server {
	t.Helper()
	return ServePicked(t, nil, script)
}

// ServePicked is Serve for prompts that a program writes, which has no markers to
// put into them: pick names the scenario that a text of the user begins, "" when
// it begins none.
func ServePicked(t testing.TB, pick func(text string) string, script Script) *Server {
	t.Helper()
	s := &Server{
		t: t, script: script, pick: pick,
		closed: make(chan struct{}), more: make(chan struct{}), failed: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.messages)
	mux.HandleFunc("POST /v1/messages/count_tokens", countTokens)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, object{"data": []any{}, "has_more": false, "first_id": nil, "last_id": nil})
	})
	mux.HandleFunc("HEAD /{$}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, Fail{Status: http.StatusNotFound, Type: "not_found_error", Message: "no script for " + r.Method + " " + r.URL.Path})
	})
	srv := httptest.NewServer(mux)
	s.URL = srv.URL
	t.Cleanup(func() {
		close(s.closed)
		srv.Close()
	})
	return s
}

// Requests are the calls of POST /v1/messages so far, in the order they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Await returns the first request for a step of a scenario, and waits for it
// when it is not there yet. It belongs on the test's goroutine.
func (s *Server) Await(scenario string, step int) Request {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		more := s.more
		i := slices.IndexFunc(s.requests, func(r Request) bool {
			return r.Scenario == scenario && r.Step == step && !r.Compact
		})
		if i >= 0 {
			defer s.mu.Unlock()
			return s.requests[i]
		}
		s.mu.Unlock()
		select {
		case <-more:
		case <-limit.C:
			s.t.Fatalf("waiting for the request of step %d of %q: it did not come", step, scenario)
		}
	}
}

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.more)
	s.more = make(chan struct{})
}

// fails says whether a step is still failing, and counts.
func (s *Server) fails(r Request, f *Fail) bool {
	if f == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := mark(r.Scenario, r.Step)
	s.failed[at]++
	return f.Times == 0 || s.failed[at] <= f.Times
}

func (s *Server) messages(w http.ResponseWriter, hr *http.Request) {
	body, err := io.ReadAll(hr.Body)
	if err != nil {
		return // the client has gone
	}
	r, err := parse(body, hr.Header, s.pick)
	if err != nil {
		s.t.Errorf("the stand-in for the Messages API: %v", err)
		writeError(w, Fail{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()})
		return
	}
	s.keep(r)
	step := s.step(r)
	if step.Pause != nil {
		select {
		case <-step.Pause:
		case <-s.closed:
			return
		case <-hr.Context().Done():
			return
		}
	}
	if s.fails(r, step.Fail) {
		writeError(w, *step.Fail)
		return
	}
	answer(w, r, step)
}

// step is what the script says to a request.
func (s *Server) step(r Request) Step {
	steps, known := s.script[r.Scenario]
	switch {
	case r.Compact:
		return summary(r)
	case !known && r.Scenario != "":
		s.t.Errorf("a message asks for the scenario %q, which the script does not have", r.Scenario)
		return Step{Fail: &Fail{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "no scenario " + r.Scenario}}
	case !known:
		return Step{Text: "ok"}
	case r.Step >= len(steps):
		return Step{Text: fmt.Sprintf("The script %q has ended before step %d.", r.Scenario, r.Step)}
	}
	step := steps[r.Step]
	if step.Func != nil {
		return step.Func(r)
	}
	return step
}

// summary stands for the whole conversation, and lets the script go on.
func summary(r Request) Step {
	text := "A summary of the conversation so far."
	if r.Scenario != "" {
		text += " " + mark(r.Scenario, r.Step)
	}
	return Step{Text: "<analysis>None.</analysis>\n<summary>\n" + text + "\n</summary>"}
}
