package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/sys/proc"
)

// trips answers each request with the next of its answers.
type trips struct {
	answers []http.Response
	bodies  []string
}

func (t *trips) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		body = string(b)
	}
	t.bodies = append(t.bodies, body)
	a := t.answers[min(len(t.bodies), len(t.answers))-1]
	if a.StatusCode == 0 {
		return nil, errors.New("connection reset")
	}
	a.Body = io.NopCloser(strings.NewReader("answer"))
	return &a, nil
}

func TestRetry(t *testing.T) {
	ok := http.Response{StatusCode: 200}
	bad := http.Response{StatusCode: 502, Header: http.Header{}}
	none := http.Response{}
	later := func(status int, after string) http.Response {
		return http.Response{StatusCode: status, Header: http.Header{"Retry-After": {after}}}
	}
	for _, test := range []struct {
		name, method string
		answers      []http.Response
		want         int // 0: an error
		waits        []time.Duration
	}{
		{"good", "GET", []http.Response{ok}, 200, nil},
		{"a read after 5xx", "GET", []http.Response{bad, bad, ok}, 200, []time.Duration{250 * time.Millisecond, time.Second}},
		{"a read that never works", "GET", []http.Response{bad}, 502, []time.Duration{250 * time.Millisecond, time.Second}},
		{"a read without an answer", "GET", []http.Response{none, ok}, 200, []time.Duration{250 * time.Millisecond}},
		{"a write after 5xx", "POST", []http.Response{bad, ok}, 502, nil},
		{"a write without an answer", "PATCH", []http.Response{none, ok}, 0, nil},
		{"a write that is to wait", "POST", []http.Response{later(429, "3"), later(403, "10"), ok}, 200, []time.Duration{3 * time.Second, 10 * time.Second}},
		{"a long wait is not kept", "GET", []http.Response{later(429, "11"), ok}, 429, nil},
		{"a long wait of a server in trouble is not kept", "GET", []http.Response{later(503, "120"), ok}, 503, nil},
		{"a refusal that names no time", "GET", []http.Response{{StatusCode: 429, Header: http.Header{}}, ok}, 429, nil},
		{"forbidden", "GET", []http.Response{{StatusCode: 403, Header: http.Header{}}, ok}, 403, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var waits []time.Duration
			base := &trips{answers: test.answers}
			r := retry{Base: base, Sleep: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil }}
			req, _ := http.NewRequest(test.method, "http://x.invalid/", strings.NewReader("words"))
			resp, err := r.RoundTrip(req)
			if got := 0; err != nil && test.want != got || err == nil && resp.StatusCode != test.want {
				t.Errorf("%v, %v", resp, err)
			}
			if !slices.Equal(waits, test.waits) {
				t.Errorf("waited %v", waits)
			}
			for _, b := range base.bodies {
				if b != "words" {
					t.Errorf("%q was sent", b)
				}
			}
		})
	}
	no := errors.New("no")
	r := retry{Base: &trips{answers: []http.Response{bad}}, Sleep: func(context.Context, time.Duration) error { return no }}
	req, _ := http.NewRequest("GET", "http://x.invalid/", nil)
	if _, err := r.RoundTrip(req); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
}

func TestCacheAsksEveryTime(t *testing.T) {
	now, asked := "one", []string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("If-None-Match"))
		w.Header().Set("ETag", `"`+now+`"`)
		if r.Header.Get("If-None-Match") == `"`+now+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, now+r.URL.Path)
	}))
	defer s.Close()
	c := &http.Client{Transport: &cache{Base: http.DefaultTransport}}
	get := func(path string) string {
		resp, err := c.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", string(body))
	}
	got := []string{get("/a"), get("/a"), get("/b")}
	now = "two"
	got = append(got, get("/a"), get("/a"))
	if want := []string{"200 one/a", "200 one/a", "200 one/b", "200 two/a", "200 two/a"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if want := []string{"", `"one"`, "", `"one"`, `"two"`}; !slices.Equal(asked, want) {
		t.Errorf("%q", asked)
	}
	// It forgets the oldest, and keeps nothing that is large.
	for n := range maxKept {
		get(fmt.Sprint("/", n))
	}
	asked = nil
	get("/a")
	now = strings.Repeat("x", maxBytes)
	if got := get("/a"); len(got) != len("200 ")+maxBytes+len("/a") {
		t.Errorf("%d bytes", len(got))
	}
	get("/a")
	if asked[0] != "" || asked[2] != asked[1] {
		t.Errorf("%.40q", asked)
	}
}

func TestATokenIsNotCarriedToAnotherHost(t *testing.T) {
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header.Get("Authorization")) }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer s.Close()
	req, _ := http.NewRequest("GET", s.URL, nil)
	req.Header.Set("Authorization", "Bearer s3cr3t")
	if resp, err := newClient(proc.Pause).Do(req); err == nil || !strings.Contains(err.Error(), "another host") {
		t.Errorf("%v, %v", resp, err)
	}
	if len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestFailure(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for status, reason := range map[int]forge.Reason{
		401: forge.NoLogin, 403: forge.NotAllowed, 404: forge.NotFound, 410: forge.NotFound, 409: forge.Conflict, 405: forge.Conflict,
		422: forge.Invalid, 400: forge.Invalid, 429: forge.RateLimited, 500: forge.Unreachable, 200: forge.Unreachable,
	} {
		f := failure{Doing: "reading", Resp: &http.Response{StatusCode: status, Header: http.Header{}}, Message: "s3cr3t\x1b\n " + strings.Repeat("x", 500), Err: errors.New("s3cr3t"), Now: now, Secret: "s3cr3t"}
		var e *forge.Error
		if err := f.Error(t.Context()); !errors.As(err, &e) || e.Reason != reason || strings.Contains(err.Error(), "s3cr3t") || strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 600 {
			t.Errorf("%d: %v", status, err)
		}
	}
	limit := failure{Doing: "reading", Message: "API rate limit exceeded", Now: now, Resp: &http.Response{StatusCode: 403, Header: http.Header{"Retry-After": {"60"}}}}
	if e := limit.Error(t.Context()).(*forge.Error); e.Reason != forge.RateLimited || !e.Reset.Equal(now.Add(time.Minute)) || !strings.Contains(e.Advice, text.LocalTime(e.Reset)) {
		t.Errorf("%+v", e)
	}
	limit.Resp.Header = http.Header{}
	if e := limit.Error(t.Context()).(*forge.Error); e.Reason != forge.RateLimited || !e.Reset.IsZero() {
		t.Errorf("%+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := limit.Error(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// pager answers each page with its number and a link.
func pager(t *testing.T, link func(page string) string) *API {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := r.URL.Query().Get("page")
		w.Header().Set("Link", link(page))
		fmt.Fprintf(w, `["%s of %s by %s"]`, page, r.URL.Query().Get("labels"), r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return &API{Base: s.URL + "/", Token: "t0k3n", Scheme: "Bearer", Client: newClient(proc.Pause), Now: time.Now, Advise: func(*forge.Error, http.Header) {}}
}

func TestPages(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another host was asked for %s", r.URL) }))
	defer other.Close()
	for name, c := range map[string]struct {
		link func(page string) string
		want int
	}{
		"one":               {func(string) string { return "" }, 1},
		"a comma in a link": {func(page string) string { return link(page, `<http://x/y?labels=a,b&page=%d>; rel="next"`) }, 3},
		"behind another": {func(page string) string {
			return link(page, `<http://x/y?page=1>; rel="prev", <http://x/y?page=%d>; rel="next"`)
		}, 3},
		"on another host":    {func(page string) string { return link(page, "<"+other.URL+`/y?page=%d>; rel="next"`) }, 3},
		"the same again":     {func(string) string { return `<http://x/y?page=2>; rel="next"` }, 2},
		"what is no address": {func(string) string { return `<://%zz>; rel="next"` }, 1},
	} {
		var got []string
		err := pages(t.Context(), pager(t, c.link), "listing", "y", map[string][]string{"labels": {"a,b"}}, func(list []string) bool {
			got = append(got, list...)
			return len(got) < 10
		})
		if err != nil || len(got) != c.want || !strings.HasSuffix(got[len(got)-1], " of a,b by Bearer t0k3n") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// link is the header of the first two of three pages.
func link(page, format string) string {
	n := map[string]int{"": 2, "2": 3}[page]
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(format, n)
}

func TestPagesEndWhenThereIsEnough(t *testing.T) {
	asked := 0
	err := pages(t.Context(), pager(t, func(string) string { return `<http://x/y?page=2>; rel="next"` }), "listing", "y", nil, func([]string) bool {
		asked++
		return false
	})
	if err != nil || asked != 1 {
		t.Errorf("%d, %v", asked, err)
	}
}

func TestMessagesOfServers(t *testing.T) {
	for body, want := range map[string]string{
		`{"message": "Validation Failed", "errors": [{"resource": "Label", "code": "already_exists", "field": "name"}]}`: "Validation Failed name already_exists",
		`{"message": "no", "errors": ["too long", {"message": "No commits"}]}`:                                           "no too long No commits",
		`{"message": "no", "errors": null, "url": "http://x"}`:                                                           "no",
		`<html>Bad Gateway</html>`: "",
		"":                         "",
	} {
		if got := message(strings.NewReader(body)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
