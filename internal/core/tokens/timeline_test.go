package tokens

import (
	"fmt"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

func TestTimeline(t *testing.T) {
	parse := func(text string) *lossless.Value {
		v, err := lossless.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	line := &Timeline{}
	minute := func(n int) time.Time { return time.Date(2026, 11, 15, 12, n, 0, 0, time.UTC) }
	take := func(n int, r event.Row, full, set, data string) {
		r.At = event.Stamp(minute(n))
		if full != "" {
			r.Full = parse(full)
		}
		if set != "" {
			r.Patch = parse(`{"set":` + set + `}`)
		}
		if data != "" {
			r.Data = parse(data)
		}
		line.Take(r)
	}
	drive := event.Row{Kind: event.Document, Doc: "drive"}
	take(0, event.Row{Kind: event.Document, Doc: "other"}, `{"phase":"coding","session":{"claude_session_id":"a"}}`, "", "")
	take(1, drive, `{"phase":"planning","requirement":"42","chunk":{"index":0},"session":{"claude_session_id":"a"}}`, "", "")
	take(2, drive, "", `{"phase":"coding","chunk":{"index":1}}`, "")
	take(3, drive, "", `{"session":{"claude_session_id":"b"}}`, "") // adopted by another session
	take(4, drive, "", `{"chunk":{"index":2}}`, "")
	take(5, drive, "", `{"phase":"awaiting_continue"}`, `{"event":"merged"}`)
	take(6, drive, "", `{"phase":"coding","requirement":"43","chunk":{"index":1}}`, `{"event":"merge_failed"}`)
	take(7, drive, "", `{"phase":"completed"}`, "")
	take(8, event.Row{Kind: event.Removed, Doc: "drive"}, "", "", "")
	take(9, drive, `{"phase":"coding","requirement":null,"session":{}}`, "", "")
	for _, c := range []struct {
		session string
		at      time.Time
		want    string
	}{
		{"a", minute(1).Add(-time.Millisecond), "no"},
		{"a", minute(1), "{42 0 planning}"}, {"b", minute(1), "no"}, {"", minute(1), "no"},
		{"a", minute(2), "{42 1 coding}"}, {"a", minute(3).Add(-time.Millisecond), "{42 1 coding}"},
		{"a", minute(3), "no"}, {"b", minute(3), "{42 1 coding}"}, {"b", minute(4), "{42 2 coding}"},
		{"b", minute(5), "{42 2 awaiting_continue}"}, {"b", minute(6), "{43 1 coding}"},
		{"b", minute(7), "no"}, {"b", minute(8), "no"}, {"", minute(10), "no"}, {"a", minute(10), "no"},
	} {
		place, ok := line.Of(c.session, c.at)
		got := "no"
		if ok {
			got = fmt.Sprintf("{%s %d %s}", place.Issue, place.Chunk, place.Phase)
		}
		if got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.session, c.at.Format(time.TimeOnly), got, c.want)
		}
	}
	if got := fmt.Sprint(line.Merged, line.Issues(minute(6)), line.Issues(minute(1))); got != "[42] [43] [42 43]" {
		t.Error(got)
	}
}
