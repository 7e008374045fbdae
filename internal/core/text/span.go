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
