package logbook_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/errorclass"
	"warp/internal/core/event"
	"warp/internal/core/telemetry"
	"warp/internal/durable"
	"warp/internal/hook/logbook"
)

// desk is a logbook with a clock of its own.
type desk struct {
	logbook.Book
	t     *testing.T
	root  string
	store *durable.Store
	now   time.Time
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, root: t.TempDir(), now: time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return d.now }
	d.store = durable.New(durable.Config{Dir: filepath.Join(d.root, ".claude"), Now: clock, PID: 1})
	d.Book = logbook.Open(d.store, clock)
	return d
}

func (d *desk) ok(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) begin(id, owner string) {
	d.t.Helper()
	d.ok(d.BeginSession(telemetry.Beginning{Session: id, At: d.now, Branch: "b", Commit: "c", Directory: "/d"}, "startup", owner))
}

func (d *desk) flush(id string) {
	d.t.Helper()
	_, err := d.FlushSession(id, nil)
	d.ok(err)
}

func (d *desk) edit(id, file string) {
	d.t.Helper()
	d.ok(d.store.Append(event.Edit, map[string]string{"session": id, "file": file}))
}

func (d *desk) session(id string) *telemetry.Session {
	d.t.Helper()
	s, err := d.Session(id)
	d.ok(err)
	return s
}

// has tells whether a file is there.
func (d *desk) has(name string) bool {
	_, err := os.Lstat(filepath.Join(d.root, name))
	return err == nil
}

func (d *desk) journal() string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.root, ".claude/state/events.jsonl"))
	d.ok(err)
	return string(text)
}

func TestNamesThatAreNoSessionsAreRefused(t *testing.T) {
	d := newDesk(t)
	for _, id := range []string{"", "current", "metrics", "../x", "a/b", ".."} {
		if err := d.BeginSession(telemetry.Beginning{Session: id}, "startup", ""); !errors.Is(err, logbook.ErrName) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if d.has(".claude") {
		t.Error("something was written")
	}
	for _, id := range []string{"../x", ".."} {
		if _, err := d.FlushSession(id, nil); !errors.Is(err, logbook.ErrName) {
			t.Errorf("flushing %q: %v", id, err)
		}
	}
}

func TestASessionThatComesBackGoesOn(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.edit("a", "a.go")
	d.ok(d.EndSession("a", "clear", nil))
	if s := d.session(""); s.SessionID != "a" || s.Ended == "" || s.EndReason != "clear" {
		t.Fatalf("ended as %+v", s)
	}
	d.edit("a", "late.go")
	d.begin("a", "")
	s := d.session("a")
	if s.Ended != "" || s.EndReason != "" || !cmp.Equal(s.FilesModified, []string{"a.go", "late.go"}) {
		t.Errorf("it came back as %+v", s)
	}
	if d.has(logbook.SessionFolder + "/a.json") {
		t.Error("the current session has a second file")
	}
}

func TestTheNewestSessionIsTheCurrentOne(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.edit("a", "a.go")
	d.begin("b", "someone-else")
	d.edit("a", "more.go")
	d.edit("b", "b.go")
	if s := d.session(""); s.SessionID != "b" || !cmp.Equal(s.FilesModified, []string{"b.go"}) {
		t.Errorf("the current one is %+v", s)
	}
	if s := d.session("a"); s.SessionID != "a" || !cmp.Equal(s.FilesModified, []string{"a.go", "more.go"}) {
		t.Errorf("the one before is %+v", s)
	}
	if s := d.session("c"); s != nil {
		t.Errorf("a session that nobody saw: %+v", s)
	}
	d.begin("a", "")
	if s := d.session(""); s.SessionID != "a" || s.FilesModified[0] != "a.go" {
		t.Errorf("the one that came back is %+v", s)
	}
	if s := d.session("b"); s == nil || !cmp.Equal(s.FilesModified, []string{"b.go"}) {
		t.Errorf("the one that made room is %+v", s)
	}
}

func TestTheOwnersPlaceIsKeptOnlyWhileItsSessionRuns(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.begin("b", "a")
	if s := d.session(""); s.SessionID != "a" || d.session("b") == nil {
		t.Fatalf("the current one is %q", s.SessionID)
	}
	d.ok(d.EndSession("a", "other", nil))
	d.begin("c", "a")
	if s := d.session(""); s.SessionID != "c" {
		t.Errorf("the place of a session that ended is kept: %q", s.SessionID)
	}
	if d.has(logbook.SessionFolder + "/a.json") {
		t.Error("a session that ended is put aside")
	}
}

func TestOneThatNobodySawBeginIsLeftAlone(t *testing.T) {
	d := newDesk(t)
	d.edit("a", "a.go")
	d.flush("a")
	d.ok(d.EndSession("a", "other", nil))
	if d.has(logbook.SessionFolder) {
		t.Error("something was written of it")
	}
	if m, err := d.Metrics(); err != nil || len(m.Sessions) != 0 {
		t.Errorf("it is counted: %+v, %v", m, err)
	}
}

func TestFlushingWithoutNewsWritesNothing(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.edit("a", "a.go")
	d.flush("a")
	before := d.journal()
	d.flush("a")
	d.edit("b", "b.go")
	after := d.journal()
	d.flush("a")
	if d.journal() != after || !strings.HasPrefix(after, before) {
		t.Error("it was written again")
	}
}

// fail notes a network error of a session.
func (d *desk) fail(session, key string) {
	d.t.Helper()
	class, _ := errorclass.Classify("WebFetch", "connect ECONNREFUSED 10.0.0.1:443", false)
	_, _, err := d.RecordFailure(telemetry.Failure{ID: "error-" + key, Session: session, Key: key, Class: class, Tool: "WebFetch", Message: "refused"})
	d.ok(err)
}

func (d *desk) recover(session, key string) {
	d.t.Helper()
	_, err := d.RecordRecovery(session, key)
	d.ok(err)
}

// agent lets a subagent of a session work and end.
func (d *desk) agent(session, id, found string) {
	d.t.Helper()
	d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: id, Type: "x", Task: "look"}, session))
	r, err := d.Subagents.RecordEnd(telemetry.Agent{ID: id}, session, telemetry.StopFacts{LastMessage: "```json\n{\"findings\":[{\"severity\":\"S1\",\"category\":\"c\",\"title\":\"" + found + "\",\"details\":\"d\",\"recommendation\":\"r\"}]}\n```"})
	d.ok(err)
	if r == nil || len(r.Findings) != 1 {
		d.t.Fatalf("it came to %+v", r)
	}
}

func TestASessionThatEndsTakesOnlyItsOwnAway(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.begin("b", "")
	for _, s := range []string{"a", "b"} {
		d.agent(s, "done-"+s, "of "+s)
		d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: "runs-" + s, Type: "x"}, s))
		d.fail(s, "k-"+s)
	}
	d.ok(d.EndSession("a", "other", nil))
	at, err := d.Subagents.ReadActive()
	d.ok(err)
	if len(at.Agents) != 1 || at.Agents[0].ID != "runs-b" || at.TotalSpawned != 2 || at.TotalCompleted != 1 {
		t.Errorf("at work: %+v", at)
	}
	errs, err := d.Errors()
	d.ok(err)
	if len(errs.Errors) != 1 || errs.Of("b").Total != 1 {
		t.Errorf("errors: %+v", errs)
	}
	if d.has(logbook.ResultsFolder+"/done-a.json") || !d.has(logbook.ResultsFolder+"/done-b.json") {
		t.Error("the results are not those of the session that goes on")
	}
	if d.has(logbook.SessionFolder+"/a.json") || d.session("").SessionID != "b" || d.session("").Ended != "" {
		t.Errorf("the current one is %+v", d.session(""))
	}
	m, err := d.Metrics()
	d.ok(err)
	if len(m.Sessions) != 1 || m.Sessions[0].SessionID != "a" || m.Sessions[0].Agents.Spawned != 2 || m.Sessions[0].Quality.IssuesFound != 1 || m.Sessions[0].Errors.Total != 1 {
		t.Errorf("metrics: %+v", m)
	}
	d.ok(d.EndSession("b", "other", nil))
	if at, err = d.Subagents.ReadActive(); err != nil || len(at.Agents) != 0 || at.TotalSpawned != 0 {
		t.Errorf("at work in the end: %+v, %v", at, err)
	}
	if d.has(logbook.ErrorsFolder+"/classified.json") || d.has(logbook.ResultsFolder+"/done-b.json") {
		t.Error("the last one leaves its things behind")
	}
}

func TestASessionWithoutAgentsDoesNotTouchThoseOfOthers(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.begin("b", "")
	d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: "runs", Type: "x"}, "b"))
	before, err := os.ReadFile(filepath.Join(d.root, logbook.AgentsFolder, "active.json"))
	d.ok(err)
	d.ok(d.EndSession("a", "other", nil))
	after, err := os.ReadFile(filepath.Join(d.root, logbook.AgentsFolder, "active.json"))
	if err != nil || string(after) != string(before) {
		t.Errorf("changed to %s, %v", after, err)
	}
}

func TestResultsAreToldApartBySession(t *testing.T) {
	d := newDesk(t)
	d.agent("a", "one", "x")
	d.agent("b", "two", "y")
	d.ok(os.WriteFile(filepath.Join(d.root, logbook.ResultsFolder, "notes.txt"), []byte("{}"), 0o600))
	d.ok(os.WriteFile(filepath.Join(d.root, logbook.ResultsFolder, "broken.json"), []byte("{"), 0o600))
	for session, want := range map[string]string{"a": "one", "b": "two", "": "one two", "c": ""} {
		list, err := d.Subagents.ListResults(session)
		var ids []string
		for _, r := range list {
			ids = append(ids, r.AgentID)
		}
		if err != nil || strings.Join(ids, " ") != want {
			t.Errorf("of %q: %v, %v", session, ids, err)
		}
	}
	if !strings.Contains(d.journal(), event.AgentEnded) {
		t.Error("the end is not journalled")
	}
}

func TestAnAgentsOwnRecordOfItsTaskWins(t *testing.T) {
	d := newDesk(t)
	d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: "one", Task: "guessed"}, "a"))
	r, err := d.Subagents.RecordEnd(telemetry.Agent{ID: "one", Task: "as it was told"}, "a", telemetry.StopFacts{})
	if err != nil || r.Task != "as it was told" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := d.Subagents.RecordEnd(telemetry.Agent{ID: "one"}, "a", telemetry.StopFacts{}); r != nil || err != nil {
		t.Errorf("it ends twice: %+v, %v", r, err)
	}
	d.ok(d.Subagents.RecordStart(telemetry.Agent{ID: "../x"}, "a"))
	if _, err := d.Subagents.RecordEnd(telemetry.Agent{ID: "../x"}, "a", telemetry.StopFacts{}); !errors.Is(err, logbook.ErrName) || d.has(logbook.AgentsFolder+"/x.json") {
		t.Errorf("an id that is a path: %v", err)
	}
}

func TestOnlyTheCallThatFailedRecovers(t *testing.T) {
	d := newDesk(t)
	d.recover("a", "k")
	if d.has(".claude") {
		t.Error("what never failed is written down")
	}
	d.fail("a", "k")
	before := d.journal()
	d.recover("b", "k")
	d.recover("a", "other")
	if d.journal() != before {
		t.Error("another session's or another call's success counts")
	}
	d.recover("a", "k")
	errs, err := d.Errors()
	if err != nil || errs.Of("a").Recovered != 1 || !strings.Contains(d.journal(), event.ToolRecovered) {
		t.Errorf("%+v, %v", errs, err)
	}
	after := d.journal()
	d.recover("a", "k")
	if d.journal() != after {
		t.Error("it recovers twice")
	}
}

func (d *desk) backups() []string {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.root, logbook.BackupFolder, "*"))
	d.ok(err)
	for i, n := range names {
		names[i] = filepath.Base(n)
	}
	return names
}

func TestTheNewestBackupsOutliveTheirSession(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	for range 5 { // in one tick of the clock
		d.ok(d.BackUpContext("a", "auto", telemetry.Facts{ContextTokens: 7}))
	}
	all := d.backups()
	if len(all) != 5 {
		t.Fatalf("%d backups", len(all))
	}
	d.ok(os.WriteFile(filepath.Join(d.root, logbook.BackupFolder, "a-note.json"), []byte("{}"), 0o600))
	d.ok(d.EndSession("a", "other", nil))
	if got := d.backups(); !cmp.Equal(got, append([]string{"a-note.json"}, all[2:]...)) {
		t.Errorf("left %v of %v", got, all)
	}
}

func TestOnlyTheSessionsOwnBackupIsAmended(t *testing.T) {
	d := newDesk(t)
	d.ok(d.CorrectBackupTokens("a", 10)) // there is none
	d.begin("a", "")
	d.ok(d.BackUpContext("a", "auto", telemetry.Facts{ContextTokens: 7, FilesInContext: []string{"x.go"}}))
	path := filepath.Join(d.root, logbook.BackupFolder, d.backups()[0])
	text := func() string {
		data, err := os.ReadFile(path)
		d.ok(err)
		return string(data)
	}
	first := text()
	d.ok(d.CorrectBackupTokens("b", 10))
	d.ok(d.CorrectBackupTokens("a", 7))
	d.ok(d.CorrectBackupTokens("a", 3))
	if text() != first {
		t.Errorf("amended to %s", text())
	}
	d.ok(d.CorrectBackupTokens("a", 10))
	if want := strings.Replace(first, `"context_tokens_before": 7`, `"context_tokens_before": 10`, 1); text() != want || want == first {
		t.Errorf("amended to %s", text())
	}
	d.ok(os.WriteFile(path, []byte("{"), 0o600))
	d.ok(d.CorrectBackupTokens("a", 11))
	if text() != "{" {
		t.Error("a damaged backup is overwritten")
	}
}

func TestABackupHasWhatIsNotFlushedYet(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	d.edit("a", "fresh.go")
	d.ok(d.BackUpContext("a", "manual", telemetry.Facts{}))
	text, err := os.ReadFile(filepath.Join(d.root, logbook.BackupFolder, d.backups()[0]))
	if err != nil || !strings.Contains(string(text), "fresh.go") || !strings.Contains(string(text), `"manual"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestADamagedSessionIsAnErrorAndNotAnEmptyOne(t *testing.T) {
	d := newDesk(t)
	d.ok(os.MkdirAll(filepath.Join(d.root, logbook.SessionFolder, "current.json"), 0o700))
	if _, err := d.FlushSession("a", nil); err == nil {
		t.Error("flushed past it")
	}
	if s, err := d.Session(""); err == nil || s != nil {
		t.Errorf("read as %+v", s)
	}
	if err := d.EndSession("a", "other", nil); err == nil {
		t.Error("ended past it")
	}
}

func TestAnAgentThatIsNotOnRecordIsKeptOnce(t *testing.T) {
	d := newDesk(t)
	d.begin("a", "")
	said := telemetry.StopFacts{LastMessage: `{"findings":[{"severity":"S1","title":"t"}],"recommendations":["r"]}`}
	for range 2 { // it is sent back to work by a hook of others
		r, err := d.Subagents.RecordEnd(telemetry.Agent{ID: "lost", Type: "x"}, "a", said)
		if d.ok(err); r == nil || len(r.Findings) != 1 {
			t.Fatalf("it came to %+v", r)
		}
	}
	at, err := d.Subagents.ReadActive()
	if err != nil || at.TotalSpawned != 1 || at.TotalCompleted != 1 {
		t.Errorf("%+v, %v", at, err)
	}
	if !d.Subagents.HasUnread("a") || d.Subagents.HasUnread("b") {
		t.Error("what was found is not told as unread")
	}
	if all, err := d.Subagents.TakeFindings("a"); err != nil || len(all) != 1 || d.Subagents.HasUnread("a") {
		t.Errorf("%+v, %v", all, err)
	}
}
