package errorclass

import (
	"strconv"
	"strings"
	"time"
)

// resetMarkers precede the time at which a limit ends, or the wait until then. If two match, the
// longer comes first.
var resetMarkers = [...]string{"retry-after", "retry_after", "retry after", "try again in", "try again after", "try again at", "retry in",
	"x-ratelimit-reset", "resets at", "resets in", "resets after", "reset at", "reset in", "reset after", "resets", "limit reached|"}

// units of a wait, with all their names.
var units = [...]struct {
	unit  time.Duration
	names string
}{
	{time.Millisecond, " ms milliseconds "},
	{time.Second, " s sec secs second seconds "},
	{time.Minute, " m min mins minute minutes "},
	{time.Hour, " h hr hrs hour hours "},
	{24 * time.Hour, " d day days "},
}

// findUnit returns the unit of a name; 0 if there is none.
func findUnit(name string) time.Duration {
	for _, u := range units {
		if name != "" && strings.Contains(u.names, " "+name+" ") {
			return u.unit
		}
	}
	return 0
}

// ResetTime reads when a limit ends: never before now, and never after the longest wait.
func ResetTime(message string, now time.Time) (time.Time, bool) {
	for _, line := range edgesOf(message) {
		for rest, found := afterMarker(line); found; rest, found = afterMarker(rest) {
			value := strings.TrimPrefix(strings.TrimLeft(rest, " :=\"'~"), "about ")
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

// afterMarker returns what follows the first marker in a line.
func afterMarker(line string) (rest string, found bool) {
	for i := range len(line) {
		for _, m := range resetMarkers {
			if strings.HasPrefix(line[i:], m) {
				return line[i+len(m):], true
			}
		}
	}
	return "", false
}

// readTime reads a date, a time of day, a wait with units, or a number of seconds, either as a wait
// or since 1970.
func readTime(s string, now time.Time) (time.Time, bool) {
	if t, ok := readDate(s); ok {
		return t, true
	}
	if t, ok := timeOfDay(s, now); ok {
		return t, true
	}
	if wait := readWait(s); wait > 0 {
		return now.Add(wait), true
	}
	number, rest := cutNumber(s)
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "."), " ")
	isPart := rest != "" && (isWord(rest[0]) || strings.IndexByte(":.-", rest[0]) >= 0)
	if number == "" || countDigits(number) > 16 || isPart {
		return time.Time{}, false
	}
	switch n, _ := strconv.ParseFloat(number, 64); {
	case n >= 1e12:
		return time.UnixMilli(int64(n)), true
	case n >= 1e9:
		return time.Unix(int64(n), 0), true
	default:
		return now.Add(time.Duration(n * float64(time.Second))), true
	}
}

// readDate reads 2026-05-08t15:57:00z at the start of a text, in lower case.
func readDate(s string) (time.Time, bool) {
	const day = len("2026-05-08t")
	if len(s) <= day || s[day-1] != 't' {
		return time.Time{}, false
	}
	end := len(s) - len(strings.TrimLeft(s[day:], "0123456789:."))
	if strings.HasPrefix(s[end:], "z") {
		end++
	} else {
		end = min(end+len("+02:00"), len(s))
	}
	t, err := time.Parse(time.RFC3339, strings.ToUpper(s[:end]))
	return t, err == nil
}

// cutNumber splits off the number that a text begins with, "" if none.
func cutNumber(s string) (number, rest string) {
	n := countDigits(s)
	if n > 0 && strings.HasPrefix(s[n:], ".") {
		if more := countDigits(s[n+1:]); more > 0 {
			n += 1 + more
		}
	}
	return s[:n], s[n:]
}

// readWait adds up "1h 5m", "90 seconds", "1m30.5s", and stops at what it does not understand.
func readWait(s string) (sum time.Duration) {
	for range 4 {
		number, rest := cutNumber(strings.TrimLeft(s, " "))
		rest = strings.TrimLeft(rest, " ")
		s = strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz")
		unit := findUnit(rest[:len(rest)-len(s)])
		if number == "" || unit == 0 {
			return sum
		}
		n, _ := strconv.ParseFloat(number, 64)
		sum += time.Duration(min(n*float64(unit), float64(longestWait)))
	}
	return sum
}

// timeOfDay returns the next occurrence of the time of day that a text begins with: 3pm, 3:30 pm
// (utc), 15:04. Other zones would need the system's tables.
func timeOfDay(s string, now time.Time) (time.Time, bool) {
	n := min(countDigits(s), 2)
	hour, err := strconv.Atoi(s[:n])
	if err != nil {
		return time.Time{}, false
	}
	minute, half, s := 0, "", s[n:]
	hasMinute := len(s) > 1 && s[0] == ':' && isDigit(s[1])
	if hasMinute {
		n = min(countDigits(s[1:]), 2) + 1
		minute, _ = strconv.Atoi(s[1:n])
		s = s[n:]
	}
	if s = strings.TrimLeft(s, " "); strings.HasPrefix(s, "am") || strings.HasPrefix(s, "pm") {
		half, s = s[:2], s[2:]
	}
	s, isUTC := strings.CutPrefix(strings.TrimLeft(s, " ("), "utc")
	goesOn := s != "" && (isLetter(s[0]) || s[0] == ':')
	if !hasMinute && half == "" || goesOn && !isUTC {
		return time.Time{}, false
	}
	if half != "" {
		if hour < 1 || hour > 12 {
			return time.Time{}, false
		}
		if hour %= 12; half == "pm" {
			hour += 12
		}
	}
	if hour > 23 || minute > 59 {
		return time.Time{}, false
	}
	if isUTC {
		now = now.UTC()
	}
	t := time.Date(now.Year(), now.Month(), now.Day(), hour, minute, 0, 0, now.Location())
	if t.Before(now) {
		t = time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, now.Location())
	}
	return t, true
}
