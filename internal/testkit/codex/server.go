package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A Server is a model that plays a script: the n-th request gets the n-th step,
// and every request after the last one a closing message.
type Server struct {
	URL string // the base_url of a model provider

	t        testing.TB
	mu       sync.Mutex
	steps    []Step
	next     int
	requests []Request
}

// A Request is what the CLI sent to the model.
type Request struct {
	Path string
	Body []byte
}

// Serve starts a Server that ends with the test.
func Serve(t testing.TB, steps []Step) *Server {
	t.Helper()
	s := &Server{t: t, steps: steps}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

// Requests returns what has come in so far, questions for the model only.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Output returns what the model was told that the n-th step did, counted from
// zero; "" when it was told nothing.
func (s *Server) Output(n int) string {
	for _, r := range s.Requests() {
		var body struct {
			Input []struct {
				Type   string          `json:"type"`
				CallID string          `json:"call_id"`
				Output json.RawMessage `json:"output"`
			} `json:"input"`
		}
		if json.Unmarshal(r.Body, &body) != nil {
			continue
		}
		for _, item := range body.Input {
			if item.CallID == callID(n) && strings.HasSuffix(item.Type, "_output") {
				var text string
				if json.Unmarshal(item.Output, &text) == nil {
					return text
				}
				return string(item.Output)
			}
		}
	}
	return ""
}

func callID(n int) string { return fmt.Sprintf("call_%d", n) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the CLI hung up
	}
	// Lists of models and the like are left unanswered: the CLI knows its own.
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/responses") {
		http.NotFound(w, r)
		return
	}
	tools, err := offered(body)
	if err != nil {
		s.t.Errorf("a request that is no JSON: %v", err)
	}
	s.mu.Lock()
	n, step := s.next, Say("The script is over.")
	if n < len(s.steps) {
		step = s.steps[n]
	}
	s.next++
	s.requests = append(s.requests, Request{Path: r.URL.Path, Body: body})
	s.mu.Unlock()

	item, err := step.item(callID(n), tools)
	if err != nil {
		s.t.Errorf("step %d: %v", n, err)
		item = message(callID(n), err.Error())
	}
	w.Header().Set("Content-Type", "text/event-stream")
	id := fmt.Sprintf("resp_%d", n)
	event(w, "response.created", map[string]any{"response": map[string]any{"id": id}})
	event(w, "response.output_item.done", map[string]any{"item": item})
	event(w, "response.completed", map[string]any{"response": map[string]any{
		"id": id,
		"usage": map[string]any{
			"input_tokens": 1, "input_tokens_details": nil,
			"output_tokens": 1, "output_tokens_details": nil,
			"total_tokens": 2,
		},
	}})
}

// event writes one server-sent event, whose data repeats its name.
func event(w io.Writer, name string, data map[string]any) {
	data["type"] = name
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // strings and numbers only
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, text)
}
