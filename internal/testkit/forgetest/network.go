package forgetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest/hub"
)

// network is what can go wrong with a server.
var network = []struct {
	name string
	fn   func(*testing.T, forge.Tracker, Backdoor)
}{
	{"no login", noLogin},
	{"a missing right", notAllowed},
	{"rate limited with a reset", limited},
	{"a short wait is kept", shortWait},
	{"a server that stumbles", stumbles},
	{"a write whose answer is lost", lostAnswer},
	{"what was done once is not done again", lostOnce},
	{"a merge whose answer is lost", lostMerge},
	{"a server that is down", down},
	{"a server that never answers", hangs},
	{"an answer that is no JSON", garbage},
	{"what has not changed is not sent again", unchanged},
}

// asks does a bit of everything.
func asks(t *testing.T, tracker forge.Tracker, number int) []error {
	ctx := t.Context()
	_, list := tracker.List(ctx, forge.Query{})
	_, read := tracker.Get(ctx, number)
	_, create := tracker.Create(ctx, forge.NewIssue{Title: "T", Labels: []string{"x"}, Once: "once"})
	_, pull := tracker.OpenPull(ctx, forge.NewPull{Title: "T", Head: "a", Base: "main"})
	return []error{
		list, read, create, pull, tracker.Edit(ctx, number, func(string) (string, error) { return "c", nil }), tracker.Retitle(ctx, number, "x"),
		tracker.Label(ctx, number, []string{"x"}, nil), tracker.Comment(ctx, number, forge.NewComment{Body: "x"}), tracker.Close(ctx, number),
		tracker.MakeLabels(ctx, []forge.Label{{Name: "y", Color: "ededed"}}), tracker.MergePull(ctx, number, forge.Merge{}),
	}
}

func broken(t *testing.T, tracker forge.Tracker, back Backdoor, f hub.Fault, reason forge.Reason) (last *forge.Error) {
	t.Helper()
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	if f.Body == "" {
		f.Body = `{"message": "no: ` + hub.Token + `\u001b[31m"}`
	}
	back.Hub.Break(f)
	for _, err := range asks(t, tracker, i.Number) {
		last = wants(t, err, reason)
		if text := fmt.Sprintf("%v %+v", err, *last); strings.Contains(text, hub.Token) || strings.Contains(text, "\x1b") {
			t.Errorf("%s", text)
		}
	}
	back.Hub.Repair()
	if got := get(t, tracker, i.Number); got.Body != "b" {
		t.Errorf("%q", got.Body)
	}
	return last
}

func noLogin(t *testing.T, tracker forge.Tracker, back Backdoor) {
	e := broken(t, tracker, back, hub.Fault{Status: 401}, forge.NoLogin)
	if !strings.Contains(e.Advice, "_TOKEN") {
		t.Errorf("%s", e)
	}
}

func notAllowed(t *testing.T, tracker forge.Tracker, back Backdoor) {
	broken(t, tracker, back, hub.Fault{Status: 403}, forge.NotAllowed)
}

func limited(t *testing.T, tracker forge.Tracker, back Backdoor) {
	reset := time.Now().Add(time.Hour).Truncate(time.Second)
	e := broken(t, tracker, back, hub.Fault{Status: 403, Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(reset.Unix())}}, forge.RateLimited)
	if !e.Reset.Equal(reset) || !strings.Contains(e.Advice, text.LocalTime(reset)) {
		t.Errorf("%s: %s, want %s", e, e.Reset, reset)
	}
	before := time.Now()
	e = broken(t, tracker, back, hub.Fault{Status: 429, Header: map[string]string{"Retry-After": "600"}}, forge.RateLimited)
	if e.Reset.Before(before.Add(9*time.Minute)) || e.Reset.After(time.Now().Add(11*time.Minute)) {
		t.Errorf("%s", e.Reset)
	}
}

func shortWait(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	slow := hub.Fault{Status: 403, Header: map[string]string{"Retry-After": "2"}, Times: 2,
		Body: `{"message": "You have exceeded a secondary rate limit", "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`}
	back.Hub.Break(slow)
	must(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "x"}))
	if got := get(t, tracker, i.Number); len(got.Comments) != 1 {
		t.Errorf("%+v", got.Comments)
	}
}

func stumbles(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	for _, status := range []int{500, 502, 503} {
		back.Hub.Break(hub.Fault{Status: status, Times: 2, Body: "<html>"})
		if got := get(t, tracker, i.Number); got.Body != "b" {
			t.Errorf("%+v", got)
		}
	}
	back.Hub.Break(hub.Fault{Status: 502, Body: "<html>"})
	_, err := tracker.Get(t.Context(), i.Number)
	wants(t, err, forge.Unreachable)
	wants(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "x"}), forge.Unreachable)
	_, err = tracker.Create(t.Context(), forge.NewIssue{Title: "x"})
	wants(t, err, forge.Unreachable)
	back.Hub.Repair()
	if got := get(t, tracker, i.Number); len(got.Comments) > 0 {
		t.Errorf("%+v", got)
	}
}

// A write that was carried out is not carried out twice.
func lostAnswer(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	back.Hub.Break(hub.Fault{Status: 502, Method: "PATCH", Times: 1, After: true})
	must(t, tracker.Edit(t.Context(), i.Number, func(body string) (string, error) { return body + " mine", nil }))
	if got := get(t, tracker, i.Number); got.Body != "b mine" {
		t.Errorf("%q", got.Body)
	}
	back.Hub.Break(hub.Fault{Status: 502, Method: "PATCH", Times: 1})
	must(t, tracker.Edit(t.Context(), i.Number, func(body string) (string, error) { return body + " again", nil }))
	if got := get(t, tracker, i.Number); got.Body != "b mine again" {
		t.Errorf("%q", got.Body)
	}
	back.Hub.Break(hub.Fault{Status: 502, Method: "POST", Times: 1, After: true})
	wants(t, tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "x"}), forge.Unreachable)
	if got := get(t, tracker, i.Number); len(got.Comments) != 1 {
		t.Errorf("%+v", got.Comments)
	}
}

// What was done although its answer was lost is not done again.
func lostOnce(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	for name, do := range map[string]func() error{
		"issue": func() error {
			_, err := tracker.Create(t.Context(), forge.NewIssue{Title: "T", Body: "report", Once: "<!-- a -->"})
			return err
		},
		"comment": func() error {
			return tracker.Comment(t.Context(), i.Number, forge.NewComment{Body: "done", Once: "<!-- a -->"})
		},
		"pull": func() error {
			_, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "a", Base: "main", Once: "<!-- a -->"})
			return err
		},
	} {
		back.Hub.Break(hub.Fault{Status: 502, Method: "POST", Times: 1, After: true})
		if err := do(); err == nil {
			t.Errorf("%s: the answer was not lost", name)
		}
		must(t, do())
	}
	back.Hub.Lock()
	items, comments := len(back.Hub.Items), len(back.Hub.Items[0].Comments)
	back.Hub.Unlock()
	if items != 3 || comments != 1 {
		t.Errorf("%d items, %d comments", items, comments)
	}
}

func lostMerge(t *testing.T, tracker forge.Tracker, back Backdoor) {
	p, err := tracker.OpenPull(t.Context(), forge.NewPull{Title: "T", Head: "a", Base: "main"})
	must(t, err)
	back.Hub.Break(hub.Fault{Status: 502, Path: "/merge", Times: 1, After: true})
	must(t, tracker.MergePull(t.Context(), p.Number, forge.Merge{}))
}

func down(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	back.Down()
	for _, err := range asks(t, tracker, i.Number) {
		if e := wants(t, err, forge.Unreachable); strings.Contains(e.Error(), hub.Token) {
			t.Errorf("%s", e)
		}
	}
}

func hangs(t *testing.T, tracker forge.Tracker, back Backdoor) {
	arrived := make(chan struct{}, 8)
	back.Hub.Break(hub.Fault{Hang: arrived})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := tracker.List(ctx, forge.Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func garbage(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	back.Hub.Break(hub.Fault{Status: 200, Method: "GET", Body: "<html>a login page</html>"})
	_, err := tracker.Get(t.Context(), i.Number)
	wants(t, err, forge.Unreachable)
	wants(t, tracker.Edit(t.Context(), i.Number, func(string) (string, error) { t.Error("asked"); return "", nil }), forge.Unreachable)
}

func unchanged(t *testing.T, tracker forge.Tracker, back Backdoor) {
	i := file(t, tracker, forge.NewIssue{Body: "b"})
	count := func(status string) (n int) {
		for _, r := range back.Hub.Requests() {
			if strings.HasPrefix(r, "GET ") && strings.HasSuffix(r, status) {
				n++
			}
		}
		return n
	}
	get(t, tracker, i.Number)
	full := count(" 200")
	get(t, tracker, i.Number)
	if count(" 200") != full || count(" 304") == 0 {
		t.Errorf("%q", back.Hub.Requests())
	}
	back.SetBody(t, i.Number, "c")
	if got := get(t, tracker, i.Number); got.Body != "c" {
		t.Errorf("%q: what had changed was not seen", got.Body)
	}
}
