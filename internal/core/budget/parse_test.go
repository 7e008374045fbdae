package budget

import (
	"testing"
	"time"
)

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for s, want := range map[string]int64{
		"$10": 10e6, "10 USD": 10e6, "USD 10": 10e6, "10 dollars": 10e6, "1 dollar": 1e6, "$ 2.50": 2.5e6, "10$": 10e6, "0.000001": 1, "$1,000": 1000e6, "1000000": 1e12, "US$5": 5e6, "$0": 0,
		"": -1, "$": -1, "ten": -1, "-5": -1, "1.": -1, ".5": -1, "1,00": -1, ",100": -1, "1,0000": -1, "1e3": -1, "$5$": -1, "5 EUR": -1, "0.0000001": -1, "99999999999999999999": -1, "unlimited": -1,
	} {
		if got, err := ParseDollars(s); err == nil && got != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: %d, %v, want %d", s, got, err, want)
		}
	}
	for s, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "90 minutes": 90 * time.Minute, "1h 30m": 90 * time.Minute, "1h30m": 90 * time.Minute, "2 hours and 15 min": 135 * time.Minute, "1.5 H": 90 * time.Minute,
		"1 day, 2 hours": 26 * time.Hour, "90s": 90 * time.Second, "365d": 365 * 24 * time.Hour, "1,000 seconds": 1000 * time.Second,
		"0h": 0, "0.1s": 100 * time.Millisecond, "250ms": 250 * time.Millisecond, "0.5ms": 500 * time.Microsecond, "7d": 7 * 24 * time.Hour,
		"": -1, "30": -1, "h": -1, "2 weeks": -1, "1:30": -1, "-2h": -1, "1h +3m": -1, "2h and": -1, "106752d": -1, "999999999d": -1, "106751d 25h": -1, "²h": -1, "٣h": -1,
	} {
		if got, err := ParseTime(s); err == nil && got != want || (err == nil) != (want >= 0) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
}
