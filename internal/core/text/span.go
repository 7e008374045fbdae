package text

import (
	"fmt"
	"time"
)

// Span formats how long something took.
func Span(seconds float64) string {
	s := int64(seconds + 0.5)
	switch {
	case seconds < 10:
		return fmt.Sprintf("%.1f s", max(0, seconds))
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %d s", s/60, s%60)
	}
	return fmt.Sprintf("%d h %d min", s/3600, s%3600/60)
}

// Asleep returns the note about time that is not counted.
func Asleep(slept time.Duration) string {
	return "asleep for " + Span(slept.Seconds()) + ": not counted"
}

// LocalTime formats a time by this machine's clock, with its zone: the reader may be in another zone,
// and may read it on another day.
func LocalTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04 MST") }

// LocalStamp is LocalTime for a document's time. It returns anything else unchanged.
func LocalStamp(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return LocalTime(t)
}
