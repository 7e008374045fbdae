package gemini

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

// A Server is a model that plays a script: the n-th question of the conversation
// gets the n-th step, and every question after the last one a closing message.
type Server struct {
	URL string // GOOGLE_GEMINI_BASE_URL

	// Tokens is how many tokens the Server says that a question had.
	Tokens int

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
	s := &Server{steps: steps, Tokens: 1}
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Requests returns what has come in so far, the CLI's own questions included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Output returns what the model was told that the n-th call of a tool did,
// counted from zero, as JSON; "" when it was told nothing.
func (s *Server) Output(n int) string {
	requests := s.Requests()
	for i := len(requests) - 1; i >= 0; i-- {
		var body struct {
			Contents []struct {
				Parts []struct {
					FunctionResponse *struct {
						Response json.RawMessage `json:"response"`
					} `json:"functionResponse"`
				} `json:"parts"`
			} `json:"contents"`
		}
		if json.Unmarshal(requests[i].Body, &body) != nil {
			continue
		}
		seen := 0
		for _, c := range body.Contents {
			for _, p := range c.Parts {
				if p.FunctionResponse == nil {
					continue
				}
				if seen == n {
					return string(p.FunctionResponse.Response)
				}
				seen++
			}
		}
	}
	return ""
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the CLI hung up
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Path: r.URL.Path, Body: body})
	_, method, _ := strings.Cut(r.URL.Path, ":")
	switch method {
	case "streamGenerateContent":
		step := Say("The script is over.")
		if s.next < len(s.steps) {
			step = s.steps[s.next]
		}
		s.next++
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", s.answer(step))
	case "generateContent":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(s.answer(Say("{}")))
	case "countTokens":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"totalTokens":%d}`, s.Tokens)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) answer(step Step) []byte {
	text, err := json.Marshal(map[string]any{
		"candidates": []any{map[string]any{
			"index": 0, "finishReason": "STOP",
			"content": map[string]any{"role": "model", "parts": step.parts()},
		}},
		"usageMetadata": map[string]any{
			"promptTokenCount": s.Tokens, "candidatesTokenCount": 1, "totalTokenCount": s.Tokens + 1,
		},
		"modelVersion": Model, "responseId": fmt.Sprintf("resp_%d", s.next),
	})
	if err != nil {
		panic(err) // a test wrote arguments that are no JSON
	}
	return text
}
