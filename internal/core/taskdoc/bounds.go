package taskdoc

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The largest bounds that are accepted.
const (
	maxIterations = 1_000_000
	maxDollars    = 1_000_000
	maxTime       = 365 * 24 * time.Hour
)

// ParseIterations reads a number of iterations: 30, 30 iterations.
func ParseIterations(s string) (int, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	for _, word := range []string{"per task", "iterations", "iteration"} {
		t = strings.TrimSpace(strings.TrimSuffix(t, word))
	}
	n, ok := millionths(t)
	if !ok || n < 1e6 || n%1e6 != 0 || n > maxIterations*1e6 {
		return 0, errors.New("it must be a whole number from 1 to 1000000, such as 30")
	}
	return int(n / 1e6), nil
}

// ParseCost reads an amount of money into micro-dollars: $10, 10 USD, 2.50.
func ParseCost(s string) (int64, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	for _, mark := range []string{"us$", "usd", "us dollars", "dollars", "dollar", "$"} {
		if rest, ok := strings.CutSuffix(t, mark); ok {
			t = rest
			break
		}
		if rest, ok := strings.CutPrefix(t, mark); ok {
			t = rest
			break
		}
	}
	micro, ok := millionths(strings.TrimSpace(t))
	if !ok || micro == 0 || micro > maxDollars*1e6 {
		return 0, errors.New("it must be an amount of dollars above 0 and up to 1000000, such as $10, 10 USD or $2.50")
	}
	return micro, nil
}

// ParseTime reads a span of time: 2h, 90 minutes, 1h 30m.
func ParseTime(s string) (time.Duration, error) {
	wrong := errors.New("it must be a time from one second to 365 days with its unit, such as 2h, 90 minutes or 1h 30m")
	t := strings.ToLower(strings.TrimSpace(s))
	var sum time.Duration
	for t != "" {
		end := strings.IndexFunc(t, func(c rune) bool { return c != '.' && c != ',' && !unicode.IsDigit(c) })
		if end <= 0 {
			return 0, wrong
		}
		micro, ok := millionths(t[:end])
		t = strings.TrimSpace(t[end:])
		end = strings.IndexFunc(t, func(c rune) bool { return !unicode.IsLetter(c) })
		if end < 0 {
			end = len(t)
		}
		unit := unitOf(t[:end])
		if !ok || unit == 0 || time.Duration(micro) > maxTime/(unit/1e6) {
			return 0, wrong
		}
		if sum += time.Duration(micro) * (unit / 1e6); sum > maxTime {
			return 0, wrong
		}
		t = strings.TrimLeft(t[end:], ", ")
		t = strings.TrimSpace(strings.TrimPrefix(t, "and "))
	}
	if sum < time.Second {
		return 0, wrong
	}
	return sum, nil
}

func unitOf(word string) time.Duration {
	switch word {
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

// millionths reads a number, perhaps with thousands set apart by commas and with
// up to six decimals: 1,000.50.
func millionths(s string) (int64, bool) {
	whole, decimals, dot := strings.Cut(s, ".")
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) > 3 || g == "") {
				return 0, false
			}
		}
		whole = strings.Join(groups, "")
	}
	if len(whole) > 9 || len(decimals) > 6 || dot && decimals == "" {
		return 0, false
	}
	digits := whole + decimals + "000000"[len(decimals):]
	if whole == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}
