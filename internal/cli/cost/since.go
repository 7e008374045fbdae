package cost

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// moment is the time that --since names. Days begin at midnight where the user
// is.
func moment(text string, now time.Time) (time.Time, error) {
	from, ok := parse(strings.TrimSpace(text), now)
	if !ok || from.After(now) {
		return from, fmt.Errorf("--since %q is no time in the past; it can be today, yesterday, 24h, 7d, 2026-11-14 or 2026-11-14T22:00:00Z", text)
	}
	return from, nil
}

func parse(text string, now time.Time) (time.Time, bool) {
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
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, true
	}
	t, err := time.Parse(time.RFC3339, text)
	return t, err == nil
}
