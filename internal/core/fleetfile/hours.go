package fleetfile

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Hours are hours in which nothing starts: "08:00-19:00", "08:00-19:00 mon-fri", "22:00-06:00
// sat,sun". Hours that end before they begin pass midnight, and belong to the day they begin on.
type Hours struct {
	From, To time.Duration // since midnight
	Days     []time.Weekday
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func (h *Hours) UnmarshalText(text []byte) error {
	hours, days, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	from, to, ok := strings.Cut(hours, "-")
	var err error
	if ok {
		if h.From, err = clock(from); err == nil {
			h.To, err = clock(to)
		}
	}
	if !ok || err != nil {
		return fmt.Errorf("quiet hours look like %q, not %q", "08:00-19:00 mon-fri", text)
	}
	h.Days, err = parseDays(strings.TrimSpace(days))
	return err
}

// MarshalText writes hours as they are read: a file goes to the fleet as JSON.
func (h Hours) MarshalText() ([]byte, error) {
	var days []string
	for _, d := range h.Days {
		days = append(days, weekdays[d])
	}
	return fmt.Appendf(nil, "%s-%s %s", clockText(h.From), clockText(h.To), strings.Join(days, ",")), nil
}

func clock(s string) (time.Duration, error) {
	t, err := time.Parse("15:04", s)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

func clockText(d time.Duration) string {
	return time.Time{}.Add(d).Format("15:04")
}

func parseDays(s string) (list []time.Weekday, err error) {
	if s == "" {
		s = "sun-sat"
	}
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, b := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if a < 0 || b < 0 {
			return nil, fmt.Errorf("%q is not a day or range of days: use sun, mon, tue, wed, thu, fri, sat, and ranges such as mon-fri", part)
		}
		for d := a; ; d = (d + 1) % 7 {
			list = append(list, time.Weekday(d))
			if d == b {
				break
			}
		}
	}
	return list, nil
}

// QuietUntil returns when the quiet hours around a time end; zero if there are none. Adjoining
// hours count as one.
func (f *File) QuietUntil(t time.Time) (until time.Time) {
	for range 14 * (len(f.Quiet) + 1) { // hours that never end do so after two weeks
		end := f.endOf(t)
		if end.IsZero() {
			return until
		}
		t, until = end, end
	}
	return until
}

// NextQuiet returns when the next quiet hours begin, within a day; a day later if none do.
func (f *File) NextQuiet(t time.Time) time.Time {
	next := t.AddDate(0, 0, 1)
	for _, h := range f.Quiet {
		for _, ahead := range []int{0, 1} {
			day := time.Date(t.Year(), t.Month(), t.Day()+ahead, 0, 0, 0, 0, t.Location())
			if from := at(day, h.From); slices.Contains(h.Days, day.Weekday()) && from.After(t) && from.Before(next) {
				next = from
			}
		}
	}
	return next
}

func (f *File) endOf(t time.Time) (end time.Time) {
	for _, h := range f.Quiet {
		for _, back := range []int{0, 1} { // those that began yesterday may continue
			day := time.Date(t.Year(), t.Month(), t.Day()-back, 0, 0, 0, 0, t.Location())
			if !slices.Contains(h.Days, day.Weekday()) {
				continue
			}
			from, to := at(day, h.From), at(day, h.To)
			if h.To <= h.From {
				to = at(day.AddDate(0, 0, 1), h.To)
			}
			if !t.Before(from) && t.Before(to) && to.After(end) {
				end = to
			}
		}
	}
	return end
}

// at returns a time of day, also on days with 23 or 25 hours.
func at(day time.Time, d time.Duration) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, int(d.Minutes()), 0, 0, day.Location())
}
