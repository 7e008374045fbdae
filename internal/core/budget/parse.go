package budget

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// mostTime is the longest accepted time, the largest Duration: a workflow whose clock jumped must
// be able to read the time it wrote.
const mostTime = math.MaxInt64

// ParseDollars reads an amount of money as people write it, in micro-dollars: $10, 10 USD, 2.50,
// $1,000.
func ParseDollars(s string) (microUSD int64, err error) {
	t := strings.ToLower(strings.TrimSpace(s))
	for _, mark := range []string{"us$", "usd", "us dollars", "dollars", "dollar", "$"} {
		rest, ok := strings.CutSuffix(t, mark)
		if !ok {
			rest, ok = strings.CutPrefix(t, mark)
		}
		if ok {
			t = rest
			break
		}
	}
	if microUSD, ok := parseMillionths(strings.TrimSpace(t)); ok {
		return microUSD, nil
	}
	return 0, fmt.Errorf("%q is not an amount of dollars; write it like $10, 10 USD or $0.75", s)
}

var units = map[string]time.Duration{
	"ms": time.Millisecond,
	"s":  time.Second, "sec": time.Second, "secs": time.Second, "second": time.Second, "seconds": time.Second,
	"m": time.Minute, "min": time.Minute, "mins": time.Minute, "minute": time.Minute, "minutes": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hrs": time.Hour, "hour": time.Hour, "hours": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "days": 24 * time.Hour,
}

// ParseTime reads a duration as people write it: 2h, 90 minutes, 1h 30m, 1 day and 2 hours.
func ParseTime(s string) (time.Duration, error) {
	var sum time.Duration
	rest := strings.ToLower(strings.TrimSpace(s))
	for ok := true; ok; {
		var number, unit string
		number, rest = cutWhere(rest, func(c rune) bool { return c != '.' && c != ',' && !unicode.IsDigit(c) })
		unit, rest = cutWhere(strings.TrimSpace(rest), func(c rune) bool { return !unicode.IsLetter(c) })
		var micro int64
		micro, ok = parseMillionths(number)
		// A millisecond has a thousand nanoseconds per millionth, so nothing is rounded.
		each := units[unit]
		if !ok || each == 0 || float64(micro)*float64(each)/1e6+float64(sum) >= float64(mostTime) {
			break
		}
		sum += time.Duration(micro/1e6)*each + time.Duration(micro%1e6)*(each/1e3)/1e3
		rest = strings.TrimLeft(rest, ", ")
		if rest == "" {
			return sum, nil
		}
		rest = strings.TrimSpace(strings.TrimPrefix(rest, "and "))
	}
	return 0, fmt.Errorf("%q is not a time; write it with its unit, like 2h, 90 minutes or 1h 30m", s)
}

// cutWhere splits a text before the first character that ends its first part.
func cutWhere(s string, ends func(rune) bool) (part, rest string) {
	if i := strings.IndexFunc(s, ends); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// parseMillionths reads a number of at most ten digits, with optional thousands separators and up
// to six decimals: 1,000.50.
func parseMillionths(s string) (int64, bool) {
	whole, decimals, dot := strings.Cut(s, ".")
	if groups := strings.Split(whole, ","); len(groups) > 1 {
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) > 3 || g == "") {
				return 0, false
			}
		}
		whole = strings.Join(groups, "")
	}
	if whole == "" || len(whole) > 10 || len(decimals) > 6 || dot && decimals == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+decimals+"000000"[len(decimals):], 10, 63)
	return int64(n), err == nil
}
