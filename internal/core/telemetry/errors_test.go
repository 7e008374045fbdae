package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
)

// The same call fails, again and again: what each failure makes of the entry.
func TestEachClassGoesItsWay(t *testing.T) {
	for class, want := range map[errorclass.Class][]string{
		errorclass.Network:    {"1/3 pending_retry 10:30:30", "2/3 pending_retry 10:31:00", "3/3 pending_retry 10:32:00", "4/3 escalated -", "5/3 escalated -"},
		errorclass.RateLimit:  {"1/3 pending_retry 10:31:00", "2/3 pending_retry 10:32:00", "3/3 pending_retry 10:34:00", "4/3 escalated -"},
		errorclass.Timeout:    {"1/2 pending_retry 10:30:00", "2/2 pending_retry 10:30:00", "3/2 escalated -"},
		errorclass.Resource:   {"1/2 pending_retry 10:31:00", "2/2 pending_retry 10:31:00", "3/2 escalated -"},
		errorclass.Syntax:     {"0/0 queued -", "1/0 queued -"},
		errorclass.Validation: {"0/0 queued -", "1/0 queued -"},
		errorclass.Permission: {"0/0 escalated -", "1/0 escalated -"},
		errorclass.Unknown:    {"1/1 pending_retry -", "2/1 logged -", "3/1 logged -"},
		"of others":           {"1/1 pending_retry -", "2/1 logged -"},
	} {
		e := &Errors{}
		for i, want := range want {
			x := e.Fail(Failure{ID: fmt.Sprint(i), Session: "s", Key: "k", Class: class, Tool: "Bash", Message: "m"}, clock(10, 30, 0))
			next := "-"
			if x.NextRetry != nil {
				next = strings.TrimSuffix(strings.TrimPrefix(*x.NextRetry, "2026-01-29T"), "Z")
			}
			if got := fmt.Sprintf("%d/%d %s %s", x.RetryCount, x.MaxRetries, x.Status, next); got != want {
				t.Errorf("%s, failure %d: %s, want %s", class, i+1, got, want)
			}
		}
		if len(e.Errors) != 1 || e.Errors[0].ID != "0" || e.Summary.Total != 1 || e.Errors[0].Timestamp != "2026-01-29T10:30:00Z" {
			t.Errorf("%s: %+v", class, e)
		}
	}
}

func TestCallsAreToldApart(t *testing.T) {
	e := &Errors{}
	fail := func(session, key string, class errorclass.Class) {
		e.Fail(Failure{Session: session, Key: key, Class: class}, clock(10, 0, 0))
	}
	fail("s", "k", errorclass.Network)
	fail("other", "k", errorclass.Network)
	fail("s", "k2", errorclass.Network)
	fail("s", "", errorclass.Network)
	fail("s", "", errorclass.Network)
	if e.Summary != (Summary{Total: 5, Pending: 5}) {
		t.Errorf("%+v", e.Summary)
	}
	recover := func(session, key string) bool { return e.Recover(session, key, clock(11, 0, 0)) != nil }
	if recover("s", "") || recover("third", "k") || !recover("s", "k") || recover("s", "k") {
		t.Error("recovered what had not failed")
	}
	x := e.Errors[0]
	if x.Status != Recovered || x.NextRetry != nil || x.RecoveredAt != "2026-01-29T11:00:00Z" || e.Errors[1].Status != Pending {
		t.Errorf("%+v", e)
	}
	fail("s", "k", errorclass.Permission) // a new error: the old one is over
	if e.Summary != (Summary{Total: 6, Recovered: 1, Pending: 4, Escalated: 1}) || e.Of("other") != (Summary{Total: 1, Pending: 1}) {
		t.Errorf("%+v", e.Summary)
	}
	if e.Drop("third") || !e.Drop("s") || len(e.Errors) != 1 || e.Summary != (Summary{Total: 1, Pending: 1}) {
		t.Errorf("%+v", e)
	}
}

func TestAnEntryTellsItsLastFailure(t *testing.T) {
	e := &Errors{}
	e.Fail(Failure{Session: "s", Key: "k", Class: errorclass.Network, Tool: "WebFetch", Message: "first", Context: parse(t, `{"url":"u"}`)}, clock(10, 0, 0))
	x := e.Fail(Failure{Session: "s", Key: "k", Class: errorclass.Permission, Tool: "WebFetch", Message: strings.Repeat("é", 400)}, clock(10, 1, 0))
	if x.Classification != errorclass.Permission || x.MaxRetries != 0 || x.Status != Escalated || x.NextRetry != nil || x.Context.Get("url").Text() != "u" {
		t.Errorf("%+v", x)
	}
	if next := lossless.Encode(x, nil).Get("next_retry"); next == nil || next.Kind != lossless.Null {
		t.Errorf("next_retry is %v", next)
	}
	if len(x.Message) != 500 || !utf8.ValidString(x.Message) {
		t.Errorf("%d bytes", len(x.Message))
	}
	if x = e.Fail(Failure{Class: errorclass.Network, Message: "x" + strings.Repeat("é", 400)}, clock(10, 1, 0)); len(x.Message) != 499 || printed(x.Context) != "{}" {
		t.Errorf("%d bytes, %s", len(x.Message), printed(x.Context))
	}
	if x = e.Fail(Failure{Class: errorclass.RateLimit, Message: strings.Repeat("x", 600) + "\nretry-after: 7"}, clock(10, 1, 0)); *x.NextRetry != "2026-01-29T10:01:07Z" {
		t.Errorf("the time behind the cut is lost: %s", *x.NextRetry)
	}
}

// The first failure of another class is told like that of another call.
func TestACallThatFailsInAnotherWay(t *testing.T) {
	for _, class := range []errorclass.Class{errorclass.Network, errorclass.RateLimit, errorclass.Syntax, errorclass.Unknown, errorclass.Permission} {
		first, again := &Errors{}, &Errors{}
		f := Failure{ID: "1", Session: "s", Key: "k", Class: errorclass.Resource}
		again.Fail(f, clock(10, 0, 0))
		f.Class = class
		want, got := first.Fail(f, clock(10, 0, 1)), again.Fail(f, clock(10, 0, 1))
		if got.Advice("", clock(10, 0, 1)) != want.Advice("", clock(10, 0, 1)) || got.RetryCount != want.RetryCount {
			t.Errorf("%s: retry %d, want %d", class, got.RetryCount, want.RetryCount)
		}
	}
}

func TestErrorsAreBoundedAndStayCounted(t *testing.T) {
	e := &Errors{}
	note := func(n int, class errorclass.Class) {
		for range n {
			e.Fail(Failure{ID: fmt.Sprint(e.Summary.Total), Session: "s", Class: class}, clock(10, 0, 0))
		}
	}
	note(10, errorclass.Network)
	note(maxErrors, errorclass.Permission)
	if len(e.Errors) != maxErrors || e.Errors[9].ID != "9" || e.Errors[10].ID != "20" {
		t.Errorf("%d errors, the first settled one is %s", len(e.Errors), e.Errors[10].ID)
	}
	if want := (Summary{Total: 510, Pending: 10, Escalated: 500}); e.Summary != want || e.Of("s") != want {
		t.Errorf("%+v", e.Summary)
	}
	note(maxErrors-10+5, errorclass.Network) // settled ones go first, then the oldest pending
	if want := (Summary{Total: 1005, Pending: 500, Escalated: 500, Logged: 5}); len(e.Errors) != maxErrors || e.Errors[0].ID != "5" || e.Summary != want {
		t.Errorf("%d errors, the first is %s, %+v", len(e.Errors), e.Errors[0].ID, e.Summary)
	}
	note(1, errorclass.Permission)
	if e.Errors[maxErrors-1].Status != Escalated {
		t.Error("the newest was dropped")
	}
	doc := lossless.Encode(e, nil)
	again := &Errors{}
	if err := lossless.Decode(doc, again); err != nil || !again.Drop("s") || again.Summary != (Summary{}) || len(again.Dropped) != 0 {
		t.Errorf("%v, %+v", err, again.Summary)
	}
	e.Errors = nil
	if !e.Drop("s") || e.Drop("s") {
		t.Error("what is only counted can be dropped, once")
	}
}

func TestTheSummaryIsTheSumOfTheSessions(t *testing.T) {
	sessions := []string{"s1", "s2"}
	rapid.Check(t, func(t *rapid.T) {
		e := &Errors{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			session, key := rapid.SampledFrom(sessions).Draw(t, "session"), rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key")
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0:
				e.Drop(session)
			case 1, 2:
				e.Recover(session, key, clock(1, 0, 0))
			default:
				e.Fail(Failure{Session: session, Key: key, Class: rapid.SampledFrom(errorclass.Policies[:]).Draw(t, "class").Class}, clock(1, 0, 0))
			}
			var sum Summary
			for _, s := range sessions {
				sum.add(e.Of(s))
			}
			if sum != e.Summary || sum.Total != len(e.Errors) || sum.Recovered+sum.Pending+sum.Escalated+sum.Queued+sum.Logged != sum.Total {
				t.Fatalf("%+v, %+v", sum, e)
			}
			for _, x := range e.Errors {
				if x.NextRetry != nil && x.Status != Pending {
					t.Fatalf("%+v", x)
				}
			}
		}
	})
}

func TestTheAgentIsToldWhatToDo(t *testing.T) {
	for _, c := range []struct {
		class        errorclass.Class
		failures     int
		item         string
		advice, told string
	}{
		{errorclass.Network, 1, "", "network error, retry 1 of 3: wait until 2026-01-29T10:30:30Z (in 30s), then repeat", "tried again at 2026-01-29T10:30:30Z (in 30s), 3 times at most"},
		{errorclass.Network, 2, "", "retry 2 of 3: wait until 2026-01-29T10:31:00Z (in 1m0s)", ""},
		{errorclass.Network, 4, "", "network error: all 3 retries are used up", "network error (Bash) needs you: m"},
		{errorclass.RateLimit, 1, "", "rate limit, retry 1 of 3: wait until 2026-01-29T10:31:00Z", "rate limit (Bash)"},
		{errorclass.Timeout, 1, "", "time-out, retry 1 of 2: repeat the call now", ""},
		{errorclass.Timeout, 3, "", "all 2 retries are used up", "needs you"},
		{errorclass.Resource, 2, "", "retry 2 of 2: free some, wait until", ""},
		{errorclass.Syntax, 1, "work-003 (S0)", "syntax error: do not repeat the call as it is, fix what it complains about. It is in the work queue as work-003 (S0)", "in the work queue as work-003 (S0)"},
		{errorclass.Validation, 1, "", "validation error: do not repeat", ""},
		{errorclass.Permission, 1, "", "permission error: do not retry, and do not work around it. Tell the user", "needs you"},
		{errorclass.Unknown, 1, "", "unknown error: it is logged; you may try once more", ""},
		{errorclass.Unknown, 2, "", "unknown error, again: it is logged", ""},
		{"of others", 1, "", "unknown error: it is logged", ""},
	} {
		e, x := &Errors{}, Entry{}
		for range c.failures {
			x = e.Fail(Failure{Session: "s", Key: "k", Class: c.class, Tool: "Bash", Message: "m"}, clock(10, 30, 0))
		}
		if got := x.Advice(c.item, clock(10, 30, 0)); !strings.Contains(got, c.advice) || strings.Contains(got, "%!") {
			t.Errorf("%s, failure %d: %q, want %q", c.class, c.failures, got, c.advice)
		}
		if got := x.Notice(c.item, clock(10, 30, 0)); !strings.Contains(got, c.told) || c.told == "" && got != "" {
			t.Errorf("%s, failure %d: the user is told %q, want %q", c.class, c.failures, got, c.told)
		}
	}
}

func TestUnknownErrorsInARowAreCounted(t *testing.T) {
	e := &Errors{}
	fail := func(session string, class errorclass.Class) int {
		e.Fail(Failure{Session: session, Key: fmt.Sprint(len(e.Errors)), Class: class}, clock(10, 0, 0))
		return e.UnknownRow[session]
	}
	for i, c := range []struct {
		session string
		class   errorclass.Class
		want    int
	}{
		{"s", errorclass.Unknown, 1}, {"s", errorclass.Unknown, 2}, {"other", errorclass.Network, 0}, {"s", errorclass.Unknown, 3},
		{"s", errorclass.Network, 0}, {"s", errorclass.Unknown, 1}, {"other", "of others", 1},
	} {
		if got := fail(c.session, c.class); got != c.want {
			t.Errorf("failure %d: %d in a row, want %d", i, got, c.want)
		}
	}
	if list := e.Unknowns("s", 3); len(list) != 3 || list[2].Key != "5" {
		t.Errorf("%+v", list)
	}
	if e.Recover("s", "5", clock(10, 0, 0)); e.UnknownRow["s"] != 0 {
		t.Error("a success does not end the row")
	}
	if e.Drop("other"); len(e.UnknownRow) != 0 {
		t.Errorf("%v outlives its session", e.UnknownRow)
	}
}
