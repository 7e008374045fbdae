package ntfy_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/notify/ntfy"
	"warp/internal/engine/notify"
)

func TestWhatWaitsForAPersonRingsLoudest(t *testing.T) {
	type got struct{ priority, auth, text, seq string }
	var all []got
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all = append(all, got{r.Header.Get("Priority"), r.Header.Get("Authorization"), string(body), r.Header.Get("X-Sequence-ID")})
	}))
	defer server.Close()
	c, err := ntfy.New(ntfy.Config{URL: server.URL + "/topic", Token: "tk_x"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n, m := range []notify.Message{{Kind: notify.Phase, Text: "coding"}, {Kind: notify.Decision, Text: "which?", Ask: "q7"}, {Kind: notify.Person, Text: "log in"}, {Kind: notify.Merged, Text: "merged"}} {
		if _, err := c.Send(t.Context(), notify.Letter{Message: m, Seq: int64(n), At: time.Unix(5, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].priority != "low" || all[1].priority != "high" || all[2].priority != "high" || all[3].priority != "" || !strings.Contains(all[1].text, "warp answer q7") || all[0].auth != "Bearer tk_x" || all[0].seq == all[1].seq {
		t.Errorf("%+v", all)
	}
}

func TestAnAddressNeedsATopic(t *testing.T) {
	for _, url := range []string{"", "topic", "https://ntfy.invalid", "https://ntfy.invalid/", "file:///x"} {
		if _, err := ntfy.New(ntfy.Config{URL: url}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	code := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(code)
	}))
	c, err := ntfy.New(ntfy.Config{URL: server.URL + "/s3cret-topic"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var later *notify.Later
	var refused *notify.Refused
	var blocked *notify.Blocked
	for _, code = range []int{200, 429, 400, 413, 401, 403, 404, 302, 500, 503} {
		_, err := c.Send(t.Context(), notify.Letter{Message: notify.Message{Text: "x"}})
		is := map[bool]string{code == 200 && err == nil: "taken", errors.As(err, &later) && later.After == 7*time.Second: "later", errors.As(err, &refused): "refused", errors.As(err, &blocked): "blocked"}[true]
		want := map[int]string{200: "taken", 429: "later", 400: "refused", 413: "refused", 401: "blocked", 403: "blocked", 404: "blocked", 302: "blocked"}[code]
		if is != want || want == "" && err == nil {
			t.Errorf("%d: %q (%v), want %q", code, is, err, want)
		}
	}
	server.Close() // who knows the topic may write to it: no error tells it
	if _, err := c.Send(t.Context(), notify.Letter{Message: notify.Message{Text: "x"}}); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}

// Whether it can be reached is found out without a message.
func TestReach(t *testing.T) {
	code, asked := 200, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
		w.WriteHeader(code)
	}))
	c, err := ntfy.New(ntfy.Config{URL: server.URL + "/s3cret-topic", Token: "tk_x"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, code = range []int{200, 404, 403, 500} {
		if err := c.Reach(t.Context()); (err == nil) != (code == 200 || code == 404) || asked != "GET /s3cret-topic/auth Bearer tk_x" {
			t.Errorf("%d: %v, asked %s", code, err, asked)
		}
	}
	server.Close()
	if err := c.Reach(t.Context()); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}
