package app

import (
	"strings"
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	where := time.FixedZone("there", 2*60*60)
	now := time.Date(2026, 11, 15, 1, 30, 0, 0, where)
	for text, want := range map[string]string{
		"today":                "2026-11-15T00:00:00+02:00",
		" yesterday ":          "2026-11-14T00:00:00+02:00",
		"90m":                  "2026-11-15T00:00:00+02:00",
		"7d":                   "2026-11-08T01:30:00+02:00",
		"0d":                   "2026-11-15T01:30:00+02:00",
		"2026-11-14":           "2026-11-14T00:00:00+02:00",
		"2026-11-14 22:00":     "2026-11-14T22:00:00+02:00",
		"2026-11-14T22:00:05":  "2026-11-14T22:00:05+02:00",
		"2026-11-14T22:00:00Z": "2026-11-15T00:00:00+02:00",
	} {
		got, err := ParseMoment(text, now)
		if err != nil || got.In(where).Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is not a time", "tomorrow": "is not a time", "-1d": "is not a time", "-5h": "is not a time", "100000d": "is not a time", "d": "is not a time",
		"2026-11-16": "is in the future", "2026-11-15T00:00:00Z": "is in the future",
	} {
		if got, err := ParseMoment(text, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v, want %q", text, got, err, want)
		}
	}
}
