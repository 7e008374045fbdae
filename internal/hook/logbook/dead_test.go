package logbook_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/telemetry"
)

func living(pids ...int) func(int, string) bool {
	return func(pid int, _ string) bool { return !slices.Contains(pids, pid) }
}

func (d *desk) beginAs(id string, pid int) {
	d.t.Helper()
	d.ok(d.BeginSession(telemetry.Beginning{Session: id, At: d.now, PID: pid, Standing: &telemetry.Standing{QueueDone: 2}}, "startup", ""))
}

func TestASessionThatDiedIsClosedAndCounted(t *testing.T) {
	d := newDesk(t)
	d.beginAs("dead", 1)
	d.now = d.now.Add(10 * time.Minute)
	d.edit("dead", "a.go")
	d.fail("dead", "k")
	_, err := d.FlushSession("dead", &telemetry.Standing{QueueDone: 5})
	d.ok(err)
	d.beginAs("lives", 2)
	d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: "runs", Type: "x"}, "dead"))
	d.now = d.now.Add(48 * time.Hour)
	d.beginAs("new", 3)
	d.ok(d.EndDeadSessions("new", living(2, 3)))
	m, err := d.Metrics()
	d.ok(err)
	if len(m.Sessions) != 1 || m.Sessions[0].SessionID != "dead" || m.Sessions[0].EndReason != telemetry.Died {
		t.Fatalf("%+v", m.Sessions)
	}
	if got := m.Sessions[0]; got.DurationMinutes != 10 || got.Quality.IssuesFixed != 3 || got.Errors.Total != 1 || got.Agents.Spawned != 1 {
		t.Errorf("%+v", got)
	}
	if d.session("lives") == nil || d.session("new") == nil || d.session("dead") != nil {
		t.Error("the wrong ones were closed")
	}
	at, err := d.Subagents.ReadActive()
	if err != nil || len(at.Agents) != 0 {
		t.Errorf("its agents run on: %+v, %v", at, err)
	}
	d.ok(d.EndDeadSessions("", living(2, 3)))
	if m, err := d.Metrics(); err != nil || len(m.Sessions) != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestTheCurrentSessionCanBeTheDeadOne(t *testing.T) {
	d := newDesk(t)
	d.beginAs("dead", 1)
	dead, err := d.ListDeadSessions(living(2))
	if err != nil || len(dead) != 1 || dead[0].SessionID != "dead" {
		t.Fatalf("%+v, %v", dead, err)
	}
	d.ok(d.EndDeadSessions("dead", living(2))) // it comes back
	if d.session("").Ended != "" {
		t.Error("one that comes back was closed")
	}
	d.ok(d.EndDeadSession("dead"))
	if s := d.session(""); s.Ended == "" || s.EndReason != telemetry.Died {
		t.Errorf("%+v", s)
	}
	if dead, err := d.ListDeadSessions(living(2)); err != nil || len(dead) != 0 {
		t.Errorf("%+v, %v", dead, err)
	}
}

// Of a session whose process is not known, a day of silence tells.
func TestASessionWithoutAProcessDiesOfSilence(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.now = d.now.Add(23 * time.Hour)
	if dead, err := d.ListDeadSessions(living()); err != nil || len(dead) != 0 {
		t.Errorf("%+v, %v", dead, err)
	}
	d.edit("a", "x")
	d.now = d.now.Add(23 * time.Hour)
	if dead, err := d.ListDeadSessions(living()); err != nil || len(dead) != 0 {
		t.Errorf("%+v, %v", dead, err)
	}
	d.now = d.now.Add(2 * time.Hour)
	if dead, err := d.ListDeadSessions(living()); err != nil || len(dead) != 1 {
		t.Errorf("%+v, %v", dead, err)
	}
}

func TestARecordThatWasRemovedIsLostAndOneThatEndedIsNot(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.begin("b", "")
	if d.IsRecordMissing("a") || d.IsRecordMissing("b") {
		t.Error("what is there is lost")
	}
	d.ok(d.EndSession("a", "other", nil))
	if d.IsRecordMissing("a") {
		t.Error("one that ended is lost")
	}
	d.ok(os.RemoveAll(filepath.Join(d.root, ".claude/state")))
	if !d.IsRecordMissing("b") {
		t.Error("one that was removed is not lost")
	}
	d.edit("b", "after.go")
	d.begin("b", "")
	if got := d.session("b").FilesModified; !slices.Equal(got, []string{"after.go"}) {
		t.Errorf("%v", got)
	}
}

func TestASessionThatComesBackAfterAnotherKeepsItsFigures(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.ok(d.store.Append(event.SlashCommand, map[string]string{"session": "a", "name": "loop"}))
	d.agent("a", "one", "x")
	d.now = d.now.Add(30 * time.Minute)
	d.ok(d.EndSession("a", "other", nil))
	d.begin("b", "") // takes its place
	d.ok(d.EndSession("b", "other", nil))
	d.now = d.now.Add(5 * time.Hour)
	d.begin("a", "")
	d.ok(d.store.Append(event.SlashCommand, map[string]string{"session": "a", "name": "loop"}))
	d.now = d.now.Add(30 * time.Minute)
	d.ok(d.EndSession("a", "other", nil))
	m, err := d.Metrics()
	d.ok(err)
	if got := m.Find("a"); got.DurationMinutes != 60 || got.Commands[0].N != 2 || got.Agents.Spawned != 1 || got.Quality.IssuesFound != 1 {
		t.Errorf("%+v", got)
	}
}

func TestASessionThatEndsTwiceIsCountedOnce(t *testing.T) {
	d := newDesk(t)
	d.beginAs("a", 1)
	for range 2 {
		d.ok(d.EndSession("a", "other", &telemetry.Standing{QueueDone: 5}))
	}
	m, err := d.Metrics()
	if err != nil || len(m.Sessions) != 1 || m.Sessions[0].Quality.IssuesFixed != 3 {
		t.Errorf("%+v, %v", m, err)
	}
}
