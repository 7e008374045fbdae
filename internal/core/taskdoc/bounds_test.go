package taskdoc

import (
	"testing"
	"time"
)

func TestBoundsAsPeopleSpellThem(t *testing.T) {
	for s, want := range map[string]int64{"$10": 10e6, "1000000": 1e12, "1000001": 0, "$0": 0, "unlimited": 0} {
		if got, err := parseCost(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v, want %d", s, got, err, want)
		}
	}
	for s, want := range map[string]time.Duration{"1s": time.Second, "365d": 365 * 24 * time.Hour, "366d": 0, "364d 48h": 0, "0h": 0, "0.1s": 0, "30": 0} {
		if got, err := parseTime(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for s, want := range map[string]int{"30": 30, "30 iterations": 30, "1 iteration per task": 1, "1,000": 1000, "1000000": 1_000_000, "0": 0, "1.5": 0, "-1": 0, "many": 0, "1000001": 0, "": 0} {
		if got, err := parseIterations(s); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
}
