package errorclass

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// resets read when a limit ends. They are compiled at their first use.
var resets = sync.OnceValue(func() (p struct{ marker, date, clock, part, number *regexp.Regexp }) {
	// What stands before the time at which a limit ends, or before the time until then.
	p.marker = regexp.MustCompile(`retry[-_ ]after|try again (?:in|after|at)|retry in|x-ratelimit-reset|resets? (?:at|in|after)|resets|limit reached\|`)
	p.date = regexp.MustCompile(`^\d{4}-\d\d-\d\dt[\d:.]*\d(?:z|[+-]\d\d:\d\d)`)
	// 3pm, 3:30 pm (utc), 15:04. Other zones would need the system's tables.
	p.clock = regexp.MustCompile(`^(\d{1,2})(?::(\d{1,2}))? *(am|pm)?[ (]*(utc)?([a-z:]?)`)
	p.part = regexp.MustCompile(`^ *(\d+(?:\.\d+)?) *([a-z]+)`)
	p.number = regexp.MustCompile(`^(\d{1,16}(?:\.\d+)?)\.? *(?:[^\w:. -]|$)`)
	return p
})

// units of a wait, by all names.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "milliseconds": time.Millisecond,
	"s": time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// ResetTime reads when a limit ends; never before now, and never later than the longest
// wait.
func ResetTime(message string, now time.Time) (time.Time, bool) {
	for _, line := range edgesOf(message) {
		for _, at := range resets().marker.FindAllStringIndex(line, -1) {
			value := strings.TrimPrefix(strings.TrimLeft(line[at[1]:], " :=\"'~"), "about ")
			t, ok := readTime(value, now)
			switch last := now.Add(longestWait); {
			case !ok:
			case t.Before(now):
				return now, true
			case t.After(last):
				return last, true
			default:
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// readTime reads a date, a time of day, a wait with units, or a number of seconds, either
// as a wait or since 1970.
func readTime(s string, now time.Time) (time.Time, bool) {
	read := resets()
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(read.date.FindString(s))); err == nil {
		return t, true
	}
	if t, ok := timeOfDay(read.clock.FindStringSubmatch(s), now); ok {
		return t, true
	}
	if wait := readWait(s); wait > 0 {
		return now.Add(wait), true
	}
	m := read.number.FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	switch n, _ := strconv.ParseFloat(m[1], 64); {
	case n >= 1e12:
		return time.UnixMilli(int64(n)), true
	case n >= 1e9:
		return time.Unix(int64(n), 0), true
	default:
		return now.Add(time.Duration(n * float64(time.Second))), true
	}
}

// readWait adds up "1h 5m", "90 seconds", "1m30.5s"; what it does not understand ends it.
func readWait(s string) (sum time.Duration) {
	for range 4 {
		m := resets().part.FindStringSubmatch(s)
		if m == nil || units[m[2]] == 0 {
			return sum
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		sum += time.Duration(min(n*float64(units[m[2]]), float64(longestWait)))
		s = s[len(m[0]):]
	}
	return sum
}

// timeOfDay is the next time of day that a match names.
func timeOfDay(m []string, now time.Time) (time.Time, bool) {
	if m == nil || m[2] == "" && m[3] == "" || m[4] == "" && m[5] != "" {
		return time.Time{}, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi("0" + m[2])
	if m[3] != "" {
		if hour < 1 || hour > 12 {
			return time.Time{}, false
		}
		if hour %= 12; m[3] == "pm" {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 {
		return time.Time{}, false
	}
	if m[4] == "utc" {
		now = now.UTC()
	}
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if t.Before(now) {
		t = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
	}
	return t, true
}
