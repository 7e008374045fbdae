package render

import (
	"fmt"
	"time"
)

// Seconds formats a timestamp in local time with its zone, and returns anything else unchanged.
// Programs read the original, which is in UTC.
func Seconds(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

// Moment formats a time in the zone of now, without the date if it is today.
func Moment(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// momentWithZone is Moment with the zone, for deadlines.
func momentWithZone(t, now time.Time) string {
	return Moment(t, now) + t.In(now.Location()).Format(" MST")
}

// Elapsed formats how long something has taken, in few characters.
func Elapsed(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02d", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

func formatElapsed(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return Elapsed(now.Sub(since))
}

// Tokens formats a number of tokens for a narrow terminal.
func Tokens(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Left formats a remaining time, rounded up.
func Left(d time.Duration) string {
	switch d = max(d, 0); {
	case d <= time.Minute:
		return fmt.Sprintf("%d s", int((d+time.Second-1)/time.Second))
	case d <= time.Hour:
		return fmt.Sprintf("%d min", int((d+time.Minute-1)/time.Minute))
	}
	m := int((d + time.Minute - 1) / time.Minute)
	return fmt.Sprintf("%d h %02d min", m/60, m%60)
}
