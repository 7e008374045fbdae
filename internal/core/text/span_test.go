package text

import (
	"testing"
	"time"
)

// Times are shown by the clock of the reader's machine, and only what is a time is changed.
func TestLocalTimes(t *testing.T) {
	at := time.Date(2026, 11, 18, 9, 30, 12, 0, time.UTC)
	want := at.Local().Format("2006-01-02 15:04 MST")
	if got := LocalTime(at); got != want {
		t.Error(got)
	}
	for stamp, want := range map[string]string{"2026-11-18T09:30:12.345Z": want, "2026-11-18T10:30:12+01:00": want, "soon": "soon", "": ""} {
		if got := LocalStamp(stamp); got != want {
			t.Errorf("%q: %q", stamp, got)
		}
	}
}
