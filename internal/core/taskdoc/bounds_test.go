package taskdoc

import (
	"testing"
	"time"
)

func TestBoundsAsPeopleSpellThem(t *testing.T) {
	for s, want := range map[string]int64{
		"$10": 10e6, "10 USD": 10e6, "USD 10": 10e6, "10 dollars": 10e6, "1 dollar": 1e6, "$ 2.50": 2.5e6, "10$": 10e6, "0.000001": 1, "$1,000": 1000e6, "1000000": 1e12, "US$5": 5e6,
		"": 0, "$": 0, "ten": 0, "-5": 0, "$0": 0, "1000001": 0, "1.": 0, ".5": 0, "1,00": 0, ",100": 0, "1,0000": 0, "1e3": 0, "$5$": 0, "5 EUR": 0, "0.0000001": 0, "99999999999999999999": 0, "unlimited": 0,
	} {
		if got, err := ParseCost(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", s, got, err, want)
		}
	}
	for s, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "90 minutes": 90 * time.Minute, "1h 30m": 90 * time.Minute, "1h30m": 90 * time.Minute, "2 hours and 15 min": 135 * time.Minute, "1.5 H": 90 * time.Minute,
		"1 day, 2 hours": 26 * time.Hour, "90s": 90 * time.Second, "365d": 365 * 24 * time.Hour, "1,000 seconds": 1000 * time.Second,
		"": 0, "30": 0, "h": 0, "0h": 0, "0.1s": 0, "366d": 0, "364d 48h": 0, "2 weeks": 0, "1:30": 0, "-2h": 0, "2h and": 0, "999999999d": 0, "²h": 0, "٣h": 0,
	} {
		if got, err := ParseTime(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for s, want := range map[string]int{"30": 30, "30 iterations": 30, "1 iteration per task": 1, "1,000": 1000, "1000000": 1_000_000, "0": 0, "1.5": 0, "-1": 0, "many": 0, "1000001": 0, "": 0} {
		if got, err := ParseIterations(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
}
