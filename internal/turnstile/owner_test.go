//go:build unix

package turnstile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/turnstile"
)

// world is an environment whose processes the test decides on.
type world struct {
	now   time.Time
	alive map[int]string // pid: when it began; "": that cannot be told
}

func (w *world) env() turnstile.Env {
	env := turnstile.System()
	env.Now = func() time.Time { return w.now }
	env.Started = func(pid int) (string, bool) { s, ok := w.alive[pid]; return s, ok }
	return env
}

// owned is a drive of a session and its process, at an hour of our own.
func owned(t *testing.T, session string, pid int) (*world, *turnstile.Drive) {
	t.Helper()
	w := &world{time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC), map[int]string{7: "began-7", 8: "began-8"}}
	d := turnstile.Open(repository(t), w.env())
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: pid, ClaudeSession: session}); err != nil {
		t.Fatal(err)
	}
	return w, d
}

func state(t *testing.T, d *turnstile.Drive) *drivestate.State {
	t.Helper()
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	return v.State
}

func journal(t *testing.T, d *turnstile.Drive) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(d.Root(), ".claude/state/events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhenAnOwnerIsGone(t *testing.T) {
	w, d := owned(t, "a", 7)
	w.alive[9] = ""
	for _, c := range []struct {
		owner turnstile.Owner
		want  bool
	}{
		{turnstile.Owner{PID: 7, Stamp: "began-7"}, false},
		{turnstile.Owner{PID: 7, Stamp: "began-earlier"}, true}, // the number was given away again
		{turnstile.Owner{PID: 7}, false},                        // it was never noted when it began
		{turnstile.Owner{PID: 9, Stamp: "began-9"}, false},      // it cannot be told when this one began
		{turnstile.Owner{PID: 6, Stamp: "began-6"}, true},
		{turnstile.Owner{PID: 0}, true},
		{turnstile.Owner{PID: -1}, true},
	} {
		if got := d.Ownership.IsGone(c.owner); got != c.want {
			t.Errorf("%+v: gone is %v", c.owner, got)
		}
	}
}

func TestALivingOwnerIsNotReplaced(t *testing.T) {
	_, d := owned(t, "a", 7)
	before := journal(t, d)
	if owns, err := d.Adopt("b", 8, false); owns || err != nil {
		t.Errorf("adopted: %v, %v", owns, err)
	}
	if owns, err := d.Adopt("", 8, false); owns || err != nil {
		t.Errorf("adopted by nobody: %v, %v", owns, err)
	}
	if s := state(t, d); s.Session.ClaudeSession != "a" || journal(t, d) != before {
		t.Errorf("of %q, with a journal that changed", s.Session.ClaudeSession)
	}
}

func TestAdoptionTakesTheOwnersPlaceWithAllThatWasSeen(t *testing.T) {
	w, d := owned(t, "a", 7)
	if err := d.Store().Append(event.PermissionAsk, map[string]string{"session": "b"}); err != nil {
		t.Fatal(err)
	}
	if err := d.Store().Append(event.Edit, map[string]string{"file": "a.go"}); err != nil {
		t.Fatal(err)
	}
	delete(w.alive, 7)
	if owns, err := d.Adopt("b", 8, false); !owns || err != nil {
		t.Fatalf("not adopted: %v, %v", owns, err)
	}
	want := turnstile.Owner{Session: "b", PID: 8, Stamp: "began-8"}
	v, err := d.Read()
	if err != nil || turnstile.OwnerOf(v.State) != want || d.Ownership.ReadOwner() != want || v.Stale {
		t.Errorf("of %+v, the side file says %+v, %v", turnstile.OwnerOf(v.State), d.Ownership.ReadOwner(), err)
	}
	if v.Pending != 0 || v.State.EditCounts["a.go"] != 1 {
		t.Errorf("%d rows are pending, edits %v", v.Pending, v.State.EditCounts)
	}
	if rows := journal(t, d); !strings.Contains(rows, `"adopted"`) || !strings.Contains(rows, `"from":"a"`) {
		t.Error("the journal does not say from whom")
	}
	before := journal(t, d)
	if owns, err := d.Adopt("b", 8, false); !owns || err != nil || journal(t, d) != before {
		t.Errorf("again: %v, %v; or it was written again", owns, err)
	}
	w.alive[7] = "began-again"
	if owns, err := d.Adopt("b", 7, false); !owns || err != nil || d.Ownership.ReadOwner().PID != 7 || state(t, d).Session.PID != 7 {
		t.Errorf("in another process: %v, %v", owns, err)
	}
}

func TestADriveThatEndedIsAdoptedByNobody(t *testing.T) {
	w, d := owned(t, "a", 7)
	fire(t, d, drivestate.Abort)
	fire(t, d, drivestate.AbortResolved)
	delete(w.alive, 7)
	if owns, err := d.Adopt("b", 8, false); owns || err != nil || d.Ownership.ReadOwner().Session == "b" {
		t.Errorf("adopted: %v, %v", owns, err)
	}
}

func TestTheSideFileIsRepairedAndIsForTheUserAlone(t *testing.T) {
	_, d := owned(t, "a", 7)
	path := filepath.Join(d.Root(), ".claude", turnstile.OwnerFile)
	for _, text := range []string{"", "{", "[]", `{"claude_session_id":1}`, `{"claude_session_id":"b","pid":8}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := d.Ownership.ReadOwner(); o.Session == "a" || strings.HasSuffix(text, ":1}") && o != (turnstile.Owner{}) {
			t.Errorf("%q is read as %+v", text, o)
		}
		if owns, err := d.Adopt("a", 7, false); !owns || err != nil || d.Ownership.ReadOwner() != (turnstile.Owner{Session: "a", PID: 7, Stamp: "began-7"}) {
			t.Errorf("after %q: %+v, %v", text, d.Ownership.ReadOwner(), err)
		}
	}
}

func TestNothingIsAdoptedWhereThereIsNoDrive(t *testing.T) {
	d := turnstile.Open(t.TempDir(), turnstile.System())
	if owns, err := d.Adopt("a", os.Getpid(), false); owns || err == nil {
		t.Errorf("adopted: %v, %v", owns, err)
	}
	if _, err := os.Lstat(filepath.Join(d.Root(), ".claude")); err == nil {
		t.Error("looking for a drive made a store")
	}
}
