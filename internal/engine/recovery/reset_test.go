package recovery

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
	"warp/internal/turnstile"
)

// lease leaves one of a process behind, which is gone.
func (m *machine) lease(root, name string, pid int) {
	m.t.Helper()
	_, _, err := m.driveIn(root).Store().Acquire(name, durable.Process{PID: pid, Host: "here"}, m.env().Started)
	m.ok(err)
}

// A reset sets states aside, takes leases of the dead and forgets work trees that
// are gone. Files of work trees and branches stay as they are.
func TestAResetSetsARepositoryFree(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	m.git("worktree", "add", "-q", "-b", "other", m.at+"/.claude/worktrees/issue-2")
	m.state(m.at, "3", "")
	m.write(".claude/worktrees/issue-2/precious.txt", "precious\n")
	_, err := m.gitIn(m.at+"/.claude/worktrees/issue-2", "add", "-A")
	m.ok(err)
	m.lose(m.at + "/.claude/worktrees/issue-2")
	m.lease(m.at, engineLease, 4711)
	m.alive[4712] = true
	m.lease(m.at, "night", 4712)
	m.write("mine.txt", "mine\n")
	refs, state := m.git("for-each-ref", "refs/heads"), m.at+"/.claude/"+turnstile.StateFile
	before, err := os.ReadFile(state)
	m.ok(err)

	plan, err := m.open().Reset(t.Context())
	m.ok(err)
	var did []string
	for _, s := range plan {
		did = append(did, s.What+" "+strings.ReplaceAll(s.Name, m.at, "."))
	}
	want := []string{"state #3 in phase chunk_complete, in .", "state #1 in phase chunk_complete, in ./.claude/worktrees/issue-1",
		"lease warp-drive of process 4711, which is gone", "work tree ./.claude/worktrees/issue-2"}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Fatal(diff)
	}
	if now, err := os.ReadFile(state); err != nil || string(now) != string(before) {
		t.Error("the plan alone has changed something")
	}
	for _, s := range plan {
		if err := s.Do(t.Context()); err != nil || !s.Done {
			t.Fatalf("%s: %v", s.Name, err)
		}
	}
	if kept, err := os.ReadFile(filepath.Join(m.at, plan[0].Kept[0])); err != nil || string(kept) != string(before) {
		t.Errorf("%q: %v", plan[0].Kept, err)
	}
	if text := m.git("show", plan[3].Kept[0]+":precious.txt"); text != "precious" {
		t.Errorf("what was staged is %q", text)
	}
	if diff := cmp.Diff(refs, m.git("for-each-ref", "refs/heads")); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(m.at + "/mine.txt"); err != nil || string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
	if again, err := m.open().Reset(t.Context()); err != nil || len(again) != 0 {
		t.Errorf("it is not free: %+v, %v", again, err)
	}
	if s, err := m.open().Status(t.Context(), true); err != nil || len(s.Drives) != 0 || len(s.Gone) != 0 || len(s.Leases) != 1 || s.Leases[0].PID != 4712 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A state that cannot be read can be set aside, too.
func TestAResetSetsADamagedStateAside(t *testing.T) {
	m := newMachine(t)
	m.half(false)
	m.lose(m.at + "/.claude")
	m.write(".claude/"+turnstile.StateFile, "{ torn")
	plan, err := m.open().Reset(t.Context())
	m.ok(err)
	if len(plan) != 1 || plan[0].Name != m.at {
		t.Fatalf("%+v", plan)
	}
	m.ok(plan[0].Do(t.Context()))
	if text, err := os.ReadFile(filepath.Join(m.at, plan[0].Kept[0])); err != nil || string(text) != "{ torn" || turnstile.HasState(m.at) {
		t.Errorf("%q, %v", text, err)
	}
}

// While an engine drives, nothing is even planned.
func TestAResetIsRefusedWhileAnEngineDrives(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	m.state(m.at, "3", "")
	m.alive[4711] = true
	m.lease(m.apart(), engineLease, 4711)
	plan, err := m.open().Reset(t.Context())
	var locked *durable.LockedError
	if !errors.As(err, &locked) || locked.PID != 4711 || plan != nil {
		t.Errorf("%+v, %v", plan, err)
	}
}

// What cannot be kept is not forgotten.
func TestALockedWorkTreeIsNotForgotten(t *testing.T) {
	m := newMachine(t)
	m.half(true)
	m.git("worktree", "lock", m.apart())
	m.lose(m.apart())
	plan, err := m.open().Reset(t.Context())
	m.ok(err)
	if len(plan) != 1 {
		t.Fatalf("%+v", plan)
	}
	if err := plan[0].Do(context.Background()); err == nil || plan[0].Done || !strings.Contains(err.Error(), "git worktree unlock") {
		t.Errorf("%v", err)
	}
	if list := m.git("worktree", "list"); !strings.Contains(list, "issue-1") {
		t.Errorf("%s", list)
	}
}
