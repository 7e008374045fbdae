package errorclass

import (
	"testing"
	"time"
)

var now = time.Date(2026, 1, 29, 10, 30, 0, 0, time.UTC)

func TestNextRetry(t *testing.T) {
	for _, c := range []struct {
		class   Class
		count   int
		message string
		want    time.Duration // negative: none
	}{
		{Network, 0, "", 30 * time.Second}, {Network, 1, "retry-after: 5", 30 * time.Second}, {Network, 2, "", time.Minute},
		{Network, 3, "", 2 * time.Minute}, {Network, 4, "", -1},
		{Timeout, 1, "", 0}, {Timeout, 2, "", 0}, {Timeout, 3, "", -1},
		{Resource, 1, "", time.Minute}, {Resource, 2, "", time.Minute}, {Resource, 3, "", -1},
		{Syntax, 0, "", -1}, {Permission, 1, "", -1}, {Unknown, 1, "", -1}, {None, 1, "", -1},
		{RateLimit, 1, "429 Too Many Requests", time.Minute}, {RateLimit, 2, "", 2 * time.Minute}, {RateLimit, 3, "", 4 * time.Minute},
		{RateLimit, 4, "retry-after: 5", -1},
		{RateLimit, 1, "HTTP 429\nRetry-After: 30", 30 * time.Second},
		{RateLimit, 1, `{"retry_after":12.5}`, 12500 * time.Millisecond},
		{RateLimit, 1, "Please try again in 20s.", 20 * time.Second},
		{RateLimit, 1, "Please try again in 1m30.5s", 90500 * time.Millisecond},
		{RateLimit, 1, "try again in 850ms", 850 * time.Millisecond},
		{RateLimit, 1, "Retry in about 2 minutes 5 seconds, please", 125 * time.Second},
		{RateLimit, 1, "try again after 1 hour", time.Hour},
		{RateLimit, 1, "your limit resets in 1 day", 24 * time.Hour},
		{RateLimit, 1, "The limit resets at 2026-01-29T11:00:00Z.", 30 * time.Minute},
		{RateLimit, 1, `"resets at": "2026-01-29T11:00:00Z"`, 30 * time.Minute},
		{RateLimit, 1, "resets at 2026-01-29t12:00:00+01:00", 30 * time.Minute},
		{RateLimit, 1, "resets at 2026-01-29T09:00:00Z", 0},
		{RateLimit, 1, "resets at 2027-01-29T09:00:00Z", longestWait},
		{RateLimit, 1, "x-ratelimit-reset: 1769682900", 5 * time.Minute},
		{RateLimit, 1, "usage limit reached|1769682900000", 5 * time.Minute},
		{RateLimit, 1, "retry-after: 999999999", longestWait},
		{RateLimit, 1, "try again in 999999999999999 days", longestWait},
		{RateLimit, 1, "You've hit your limit · resets 3pm (UTC)", 4*time.Hour + 30*time.Minute},
		{RateLimit, 1, "resets 12am", 13*time.Hour + 30*time.Minute},
		{RateLimit, 1, "resets at 12:15 pm", time.Hour + 45*time.Minute},
		{RateLimit, 1, "resets 10:30am.", 0},
		{RateLimit, 1, "try again at 09:30", 23 * time.Hour},
		{RateLimit, 1, "resets 3pm (America/New_York)", time.Minute},
		{RateLimit, 1, "resets 13pm", time.Minute}, {RateLimit, 1, "resets at 25:00", time.Minute}, {RateLimit, 1, "resets at 10:75", time.Minute},
		{RateLimit, 1, "resets at 10:", time.Minute}, {RateLimit, 1, "resets at 10:30:15", time.Minute},
		{RateLimit, 1, "resets 3 times", time.Minute}, {RateLimit, 1, "resets at 2026-01-29", time.Minute},
		{RateLimit, 1, "it resets soon", time.Minute}, {RateLimit, 1, "retry-after:", time.Minute}, {RateLimit, 1, "retry after 1..2", time.Minute},
		{RateLimit, 1, "try again in 1m 2 cups", time.Minute}, {RateLimit, 1, "try again in 1m2m3m4m5m", 10 * time.Minute},
	} {
		at, ok := NextRetry(c.class, c.count, now, c.message)
		if ok != (c.want >= 0) || ok && !at.Equal(now.Add(c.want)) {
			t.Errorf("%s, %d, %q: got %v, %v, want %v", c.class, c.count, c.message, at.Sub(now), ok, c.want)
		}
	}
}

// A limit is waited for as long as it takes, ever longer, up to a cap.
func TestRateLimitOver(t *testing.T) {
	for _, c := range []struct {
		n       int
		message string
		want    time.Duration
	}{
		{1, "Overloaded", time.Minute}, {2, "", 2 * time.Minute}, {4, "", 8 * time.Minute}, {5, "", 15 * time.Minute}, {1000, "", 15 * time.Minute},
		{1, "retry-after: 1200", 20 * time.Minute}, {1, "Please retry in 34.07s.", 34070 * time.Millisecond}, {3, "retry-after: 2", 2 * time.Second},
		{4, "retry-after: 2", time.Minute}, {30, "retry-after: 2", 15 * time.Minute}, {30, "retry-after: 3600", time.Hour},
		{1, "Your quota will reset after 3h12m", 3*time.Hour + 12*time.Minute},
	} {
		if have := RateLimitOver(c.n, now, c.message).Sub(now); have != c.want {
			t.Errorf("%d, %q: %v, want %v", c.n, c.message, have, c.want)
		}
	}
}

func TestATimeOfDayIsOneOfTheLocationOfNow(t *testing.T) {
	local := now.In(time.FixedZone("there", 2*60*60)) // 12:30 there
	at, _ := NextRetry(RateLimit, 1, local, "resets 3pm")
	if want := 150 * time.Minute; at.Sub(now) != want {
		t.Errorf("got %v, want %v", at.Sub(now), want)
	}
	at, _ = NextRetry(RateLimit, 1, local, "resets 3pm utc")
	if want := 270 * time.Minute; at.Sub(now) != want {
		t.Errorf("UTC: got %v, want %v", at.Sub(now), want)
	}
}

func FuzzNextRetry(f *testing.F) {
	f.Add("retry-after: 30")
	f.Add("resets at 12:15 pm (utc)")
	f.Add("try again in 1h 5m")
	f.Add("resets at 2026-01-29T09:00:00Z")
	f.Add("retry-after: 999999999")
	f.Fuzz(func(t *testing.T, message string) {
		at, ok := NextRetry(RateLimit, 1, now, message)
		if !ok || at.Before(now) || at.After(now.Add(longestWait)) {
			t.Fatalf("%v, %v", at, ok)
		}
	})
}
