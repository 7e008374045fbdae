package errorclass

import (
	"strings"
	"time"

	"warp/internal/core/lexicon"
)

// timeOfDay reads "3pm", "3:30 pm (utc)", "15:04": the next such time. Zones
// other than UTC would need the system's tables, so a text that names one is
// not understood.
func timeOfDay(s string, now time.Time) (time.Time, bool) {
	hour, rest := twoDigits(s)
	minute, colon := 0, strings.HasPrefix(rest, ":")
	if colon {
		minute, rest = twoDigits(rest[1:])
	}
	rest = strings.TrimLeft(rest, " ")
	half := rest[:min(2, len(rest))]
	switch {
	case half == "pm" && hour >= 1 && hour <= 12:
		hour = hour%12 + 12
	case half == "am" && hour >= 1 && hour <= 12:
		hour %= 12
	case half == "am" || half == "pm" || !colon:
		return time.Time{}, false
	default:
		half = ""
	}
	rest = strings.TrimLeft(rest[len(half):], " (")
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return time.Time{}, false
	}
	if strings.HasPrefix(rest, "utc") {
		now = now.UTC()
	} else if rest != "" && (lexicon.IsLetter(rest[0]) || rest[0] == ':') {
		return time.Time{}, false
	}
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if t.Before(now) {
		t = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
	}
	return t, true
}

// twoDigits reads a number of one or two digits; -1 where there is none.
func twoDigits(s string) (n int, rest string) {
	end := 0
	for end < len(s) && lexicon.IsDigit(s[end]) {
		end++
	}
	switch end {
	case 1:
		return int(s[0] - '0'), s[1:]
	case 2:
		return int(s[0]-'0')*10 + int(s[1]-'0'), s[2:]
	}
	return -1, s
}
