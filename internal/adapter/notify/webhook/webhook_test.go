package webhook_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/notify/webhook"
	"warp/internal/engine/notify"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func letter() notify.Letter {
	return notify.Letter{Message: notify.Message{Kind: notify.Decision, Text: "which?", Issue: "42", Ask: "q7", Options: []string{"a"}}, Seq: 3, At: noon, Project: "p", Tries: 1}
}

func TestTheReceiverCanTellWhoSentIt(t *testing.T) {
	var ids []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		stamp := r.Header.Get("X-Warp-Timestamp")
		if got := r.Header.Get("X-Warp-Signature"); got != webhook.Sign("s3cret", stamp, body) || got == webhook.Sign("s3cret", "0", body) {
			t.Errorf("signature %q", got)
		}
		var m map[string]any
		if err := json.Unmarshal(body, &m); err != nil || m["text"] != "which?" || m["question"] != "q7" || m["id"] != r.Header.Get("X-Warp-Delivery") {
			t.Errorf("%v %s", err, body)
		}
		ids = append(ids, r.Header.Get("X-Warp-Delivery"))
	}))
	defer server.Close()
	c, err := webhook.New(webhook.Config{URL: server.URL, Secret: "s3cret", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if _, err := c.Send(t.Context(), letter()); err != nil {
			t.Fatal(err)
		}
	}
	if len(ids) != 2 || ids[0] != ids[1] || ids[0] == "" {
		t.Errorf("a second try has the same id: %v", ids)
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	code := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "http://elsewhere.invalid/")
		w.WriteHeader(code)
	}))
	defer server.Close()
	c, err := webhook.New(webhook.Config{URL: server.URL, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, c2 := range []struct {
		code int
		as   string
	}{{200, ""}, {204, ""}, {429, "later"}, {503, "later"}, {500, "maybe"}, {502, "maybe"}, {302, "blocked"}, {401, "blocked"}, {404, "blocked"}, {400, "refused"}, {413, "refused"}} {
		code = c2.code
		_, err := c.Send(t.Context(), letter())
		if got := kind(err); got != c2.as {
			t.Errorf("%d: %s (%v), want %s", code, got, err, c2.as)
		}
	}
}

func kind(err error) string {
	var later *notify.Later
	var blocked *notify.Blocked
	var refused *notify.Refused
	switch {
	case err == nil:
		return ""
	case errors.As(err, &later):
		if later.After != 7*time.Second {
			return "later, but not when"
		}
		return "later"
	case errors.As(err, &blocked):
		return "blocked"
	case errors.As(err, &refused):
		return "refused"
	}
	return "maybe"
}

// An address may have a secret in it: no error shows it.
func TestNoErrorShowsTheAddress(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	c, err := webhook.New(webhook.Config{URL: server.URL + "/hook?key=s3cret", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if _, err := c.Send(t.Context(), letter()); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Error(err)
		}
		server.Close()
	}
}

// Whether it can be reached is found out without a message.
func TestReach(t *testing.T) {
	code, asked := 200, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method
		w.WriteHeader(code)
	}))
	c, err := webhook.New(webhook.Config{URL: server.URL + "/s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, code = range []int{200, 405, 501, 502} {
		if err := c.Reach(t.Context()); (err == nil) != (code != 502) || asked != http.MethodHead {
			t.Errorf("%d: %v, asked %s", code, err, asked)
		}
	}
	server.Close()
	if err := c.Reach(t.Context()); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}
