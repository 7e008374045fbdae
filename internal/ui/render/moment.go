package render

import (
	"fmt"
	"time"
)

// Seconds is a stamp as the user's clock has it, with the zone; what is no stamp stays as
// it is. Programs read the stamps themselves, which are UTC.
func Seconds(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.Local().Format("2006-01-02 15:04:05 MST")
}

// Moment is a time as the user's clock has it: the day is left out today.
func Moment(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// zoned is Moment with the zone, for times by which something has to be done.
func zoned(t, now time.Time) string { return Moment(t, now) + t.In(now.Location()).Format(" MST") }

// passed is the time since another, in its largest whole unit.
func passed(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	switch d := max(0, now.Sub(since)); {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d >= time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d >= time.Minute:
		return fmt.Sprintf("%dm", d/time.Minute)
	default:
		return fmt.Sprintf("%ds", d/time.Second)
	}
}

// Tokens is a number of tokens, short enough for a narrow terminal.
func Tokens(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Left is a time to come, rounded up: at its end it is over.
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
