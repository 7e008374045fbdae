package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseMoment parses the time in --since. Days begin at local midnight.
func ParseMoment(text string, now time.Time) (time.Time, error) {
	from, ok := parseMoment(strings.TrimSpace(text), now)
	switch {
	case !ok:
		return from, fmt.Errorf("--since %q is not a time; use today, yesterday, 24h, 7d, 2026-11-14, \"2026-11-14 22:00\" or 2026-11-14T22:00:00Z", text)
	case from.After(now):
		return from, fmt.Errorf("--since %q is in the future; use yesterday, 24h or 2026-11-14", text)
	}
	return from, nil
}

func parseMoment(text string, now time.Time) (time.Time, bool) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return midnight, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, -n), err == nil && n >= 0 && n < 100_000
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), d >= 0
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
