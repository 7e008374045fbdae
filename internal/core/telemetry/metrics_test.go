package telemetry

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

func TestMetrics(t *testing.T) {
	m := &Metrics{}
	add := func(id, started string, now time.Time) {
		m.Add(&Session{SessionID: id, Started: started}, AgentCounts{}, Summary{Total: 2, Pending: 1}, Quality{}, now)
	}
	add("1", "2026-01-28T23:59:00Z", clock(0, 1, 31))
	add("2", "", clock(9, 0, 0))
	add("3", "2026-01-29T12:00:00Z", clock(9, 0, 0)) // a clock that was set back
	for i, want := range []string{"1 2026-01-28 3", "2 2026-01-29 0", "3 2026-01-29 0"} {
		s := m.Sessions[i]
		if got := fmt.Sprint(s.SessionID, " ", s.Date, " ", s.DurationMinutes); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	want := `{"session_id":"2","date":"2026-01-29","duration_minutes":0,"commands":{},"agents":{"spawned":0,"completed":0,"failed":0},` +
		`"quality":{"issues_found":0,"issues_fixed":0,"coverage_delta":null},"errors":{"total":2,"recovered":0,"escalated":0}}`
	if got := string(lossless.AppendCompact(nil, lossless.Encode(m.Sessions[1], nil))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	add("1", "2026-01-28T23:59:00Z", clock(1, 59, 0))
	if len(m.Sessions) != 3 || m.Sessions[0].DurationMinutes != 120 {
		t.Errorf("%+v", m.Sessions)
	}
}

func TestMetricsAreBounded(t *testing.T) {
	m := &Metrics{}
	for i := range maxSessions + 7 {
		m.Add(&Session{SessionID: fmt.Sprint(i)}, AgentCounts{}, Summary{}, Quality{}, clock(1, 0, 0))
	}
	if len(m.Sessions) != maxSessions || m.Sessions[0].SessionID != "7" {
		t.Errorf("%d, the first is %s", len(m.Sessions), m.Sessions[0].SessionID)
	}
}

func TestARowOfMetricsIsItsOwn(t *testing.T) {
	s := &Session{SessionID: "s", CommandCounts: Counts{{"a", 1}}}
	m := &Metrics{}
	m.Add(s, AgentCounts{}, Summary{}, Quality{}, clock(1, 0, 0))
	s.CommandCounts.add("a")
	if m.Sessions[0].Commands[0].N != 1 {
		t.Error("the row changed with the session")
	}
}

func TestBackupNamesSortAsTheirTimes(t *testing.T) {
	if got := BackupName(time.Date(2026, 1, 29, 12, 45, 0, 7_900_000, time.FixedZone("there", 7200))); got != "backup_20260129T104500.007Z.json" {
		t.Error(got)
	}
	var names []string
	for _, ms := range []int{0, 1, 9, 10, 99, 100, 999, 1000, 59999, 60000, 86400000} {
		names = append(names, BackupName(clock(0, 0, 0).Add(time.Duration(ms)*time.Millisecond)))
	}
	if !slices.IsSorted(names) || len(slices.Compact(names)) != 11 {
		t.Errorf("%q", names)
	}
}

func TestBackup(t *testing.T) {
	b := NewBackup("manual", Preserved{LoopState: lossless.Record("text", "# Loop\n")}, Facts{}, clock(1, 0, 0))
	if got := b.Preserved.LoopState.Get("text").Text(); b.Reason != "manual" || got != "# Loop\n" {
		t.Errorf("%s, %q", b.Reason, got)
	}
}

func TestASessionThatIsResumedAddsToWhatWasNoted(t *testing.T) {
	m := &Metrics{}
	s := Begin(Beginning{Session: "s", At: clock(9, 0, 0), Standing: &Standing{QueueDone: 3}})
	s.After = &Standing{QueueDone: 5, IssuesClosed: 1}
	s.CommandCounts = Counts{{"loop", 1}}
	m.Add(s, AgentCounts{2, 1, 1}, Summary{Total: 2, Escalated: 1}, s.Quality(4), clock(9, 30, 0))
	s.Ended = Stamp(clock(9, 30, 0))
	s.Resume(Beginning{At: clock(11, 30, 0), PID: 7, Standing: &Standing{QueueDone: 9, IssuesClosed: 1}}, true)
	s.After = &Standing{QueueDone: 10, IssuesClosed: 1}
	m.Add(s, AgentCounts{1, 1, 0}, Summary{Total: 1}, s.Quality(1), clock(11, 45, 0))
	got := m.Sessions[0]
	if len(m.Sessions) != 1 || got.DurationMinutes != 45 || got.Agents != (AgentCounts{3, 2, 1}) || got.Errors != (ErrorCounts{3, 0, 1}) || got.Commands[0].N != 1 || s.PID != 7 {
		t.Errorf("%+v", got)
	}
	if got.Quality.IssuesFound != 5 || got.Quality.IssuesFixed != 4 {
		t.Errorf("%+v", got.Quality)
	}
	anew := Begin(Beginning{Session: "s", At: clock(12, 0, 0)}) // its document is no longer there
	anew.Restore(m.Find("s"))
	m.Add(anew, AgentCounts{}, Summary{}, anew.Quality(0), clock(12, 15, 0))
	if got := m.Sessions[0]; got.DurationMinutes != 60 || got.Commands[0].N != 1 || got.Agents.Spawned != 3 {
		t.Errorf("%+v", got)
	}
}

func TestTheCoverageOfASessionIsMeasuredOrNotTold(t *testing.T) {
	percent := func(p float64) *float64 { return &p }
	for _, c := range []struct {
		before, after *float64
		at            string
		want          string
	}{
		{percent(70), percent(78), "2026-01-29T09:30:00Z", "+8%"}, {percent(78.4), percent(78), "2026-01-29T09:30:00Z", "-0.4%"},
		{percent(78), percent(78.01), "2026-01-29T09:30:00Z", "+0%"}, {percent(78.01), percent(78), "2026-01-29T09:30:00Z", "+0%"},
		{percent(70), percent(78), "2026-01-29T08:30:00Z", ""}, {percent(70), percent(78), "", ""},
		{nil, percent(78), "2026-01-29T09:30:00Z", ""}, {percent(70), nil, "", ""},
	} {
		s := Begin(Beginning{Session: "s", At: clock(9, 0, 0), Standing: &Standing{Coverage: c.before}})
		s.After = &Standing{Coverage: c.after, CoverageAt: c.at}
		got := ""
		if d := s.Quality(0).CoverageDelta; d != nil {
			got = *d
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if q := (&Session{Merged: 2}).Quality(1); q.IssuesFixed != 2 || q.CoverageDelta != nil {
		t.Errorf("%+v", q)
	}
	s := &Session{SessionID: "s", Before: &Standing{}, After: &Standing{IssuesClosed: 1}}
	s.Fold([]event.Row{{At: "2026-01-29T09:30:00Z", Kind: event.Outcome, Data: parse(t, `{"issue":"4","result":"merged"}`)}, {Kind: event.Outcome, Data: parse(t, `{"result":"failed"}`)}})
	if q := s.Quality(0); q.IssuesFixed != 1 || s.Merged != 1 {
		t.Errorf("a requirement counts twice: %+v", q)
	}
}
