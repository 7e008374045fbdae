package agenttest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Front stands before the stand-in of an API. Questions for the model, and only
// these, can be answered by something else, or their answers be changed.
type Front struct {
	URL string // instead of the stand-in's, without a path

	t       testing.TB
	mu      sync.Mutex
	instead http.HandlerFunc
	pass    int // questions that still get through
	change  func([]byte) []byte
	came    chan struct{}
	over    chan struct{} // the test has ended
}

// NewFront stands before a server. The question is the end of the path of the
// requests that matter.
func NewFront(t testing.TB, server, question string) *Front {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	to.Path = ""
	f := &Front{t: t, came: make(chan struct{}, 1000), over: make(chan struct{})}
	pass := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ModifyResponse: f.modify,
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, question) {
			f.came <- struct{}{}
			f.mu.Lock()
			instead := f.instead
			if f.pass > 0 {
				f.pass, instead = f.pass-1, nil
			}
			f.mu.Unlock()
			if instead != nil {
				instead(w, r)
				return
			}
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		close(f.over)
		srv.CloseClientConnections()
		srv.Close()
	})
	f.URL = srv.URL
	return f
}

// Instead answers questions from now on.
func (f *Front) Instead(h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instead = h
}

// After lets some questions through before.
func (f *Front) After(questions int, h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.instead, f.pass = h, questions
}

// Recover lets questions through again.
func (f *Front) Recover() { f.Instead(nil) }

// Hold lets every question wait until the client or the test is gone.
func (f *Front) Hold() {
	f.Instead(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-f.over:
		}
	})
}

// Fail answers with a status.
func Fail(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// HangUp begins to answer and breaks off.
func HangUp(begin string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, begin)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Arrived returns when a question has come.
func (f *Front) Arrived() {
	f.t.Helper()
	select {
	case <-f.came:
	case <-time.After(patience):
		f.t.Fatal("no question has come")
	}
}

// Change changes every answer.
func (f *Front) Change(fn func([]byte) []byte) { f.change = fn }

func (f *Front) modify(r *http.Response) error {
	if f.change == nil {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = f.change(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}
