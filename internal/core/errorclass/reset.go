package errorclass

import (
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lexicon"
)

// markers stand before the time at which a limit ends, or the time until then;
// the longer ones first.
var markers = [...]string{
	"retry-after", "retry_after", "retry after", "try again in", "try again after", "try again at", "retry in",
	"x-ratelimit-reset", "resets at", "resets in", "reset at", "reset in", "reset after", "resets", "limit reached|",
}

// ResetTime reads when a limit ends; never before now, and never later than the
// longest wait.
func ResetTime(message string, now time.Time) (time.Time, bool) {
	for _, line := range window(message) {
		for _, m := range markers {
			at := strings.Index(line, m)
			if at < 0 {
				continue
			}
			value := strings.TrimLeft(line[at+len(m):], " :=\"'~")
			value = strings.TrimPrefix(value, "about ")
			if t, ok := instant(value, now); ok {
				return clamp(t, now), true
			}
		}
	}
	return time.Time{}, false
}

func clamp(t, now time.Time) time.Time {
	if t.Before(now) {
		return now
	}
	if last := now.Add(longestWait); t.After(last) {
		return last
	}
	return t
}

// instant reads a date, a number of seconds, either as a wait or since 1970, a
// wait with units, or a time of day.
func instant(s string, now time.Time) (time.Time, bool) {
	if word := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \"',;)]}", r) }); len(word) > 0 {
		if t, err := time.Parse(time.RFC3339, strings.ToUpper(strings.TrimRight(word[0], "."))); err == nil {
			return t, true
		}
	}
	if t, ok := timeOfDay(s, now); ok {
		return t, true
	}
	n, rest, ok := number(s)
	if !ok {
		return time.Time{}, false
	}
	if unit(rest) > 0 {
		return now.Add(wait(s)), true
	}
	if rest = strings.TrimLeft(rest, " "); rest != "" && (lexicon.IsLetter(rest[0]) || rest[0] == '-' || rest[0] == ':') {
		return time.Time{}, false // "resets 3 times", "resets 2026-…", "25:00": not understood
	}
	switch {
	case n >= 1e12:
		return time.UnixMilli(int64(n)), true
	case n >= 1e9:
		return time.Unix(int64(n), 0), true
	}
	return now.Add(time.Duration(n * float64(time.Second))), true
}

// wait adds up "1h 5m", "90 seconds", "1m30.5s"; whatever it does not
// understand ends it.
func wait(s string) (sum time.Duration) {
	for range 4 {
		n, rest, ok := number(strings.TrimLeft(s, " "))
		u := unit(rest)
		if !ok || u == 0 {
			return sum
		}
		sum += time.Duration(min(n*float64(u), float64(longestWait)))
		rest = strings.TrimLeft(rest, " ")
		for rest != "" && lexicon.IsLetter(rest[0]) {
			rest = rest[1:]
		}
		s = rest
	}
	return sum
}

// number reads digits with a fraction, and at most as many as a time has.
func number(s string) (n float64, rest string, ok bool) {
	end := 0
	for end < len(s) && end < 16 && (lexicon.IsDigit(s[end]) || s[end] == '.' && end > 0) {
		end++
	}
	n, err := strconv.ParseFloat(strings.TrimRight(s[:end], "."), 64)
	return n, s[end:], err == nil
}

// unit is how long the unit is that a text begins with, or 0.
func unit(s string) time.Duration {
	s = strings.TrimLeft(s, " ")
	end := 0
	for end < len(s) && lexicon.IsLetter(s[end]) {
		end++
	}
	switch s[:end] {
	case "ms", "milliseconds":
		return time.Millisecond
	case "s", "sec", "secs", "second", "seconds":
		return time.Second
	case "m", "min", "mins", "minute", "minutes":
		return time.Minute
	case "h", "hr", "hrs", "hour", "hours":
		return time.Hour
	case "d", "day", "days":
		return 24 * time.Hour
	}
	return 0
}
