//go:build unix

package turnstile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/turnstile"
)

// refusing walks a drive to testing, where a gate refuses tests_passed.
func refusing(t *testing.T) (*turnstile.Drive, string) {
	t.Helper()
	root := repository(t)
	d := begin(t, root)
	write(t, root, "new.txt", "x\n")
	fire(t, d, drivestate.CodeComplete)
	fire(t, d, drivestate.DocsUpdated)
	write(t, root, ".claude/settings.local.json", `{"_workflow":{"verification_gates":{"tests_passed":["echo the frobnicator is missing; exit 3"]}}}`)
	return d, root
}

// A refusal that makes another event true counts once, as that event.
func TestARefusalThatIsAnotherEvent(t *testing.T) {
	d, _ := refusing(t)
	res, err := d.FireOr(t.Context(), drivestate.TestsPassed, drivestate.TestsFailed, "")
	var refused *turnstile.GateError
	if !errors.As(err, &refused) || refused.Broken() || res.To != drivestate.Coding || phase(t, d) != drivestate.Coding {
		t.Fatalf("%v, %+v", err, res)
	}
	if b := res.State.Budgets; b.RetryCount != 1 || b.CodingCycles != 1 {
		t.Errorf("%+v", b)
	}
}

// What a gate says is in its row, and each time in a log of its own.
func TestWhatAGateSaidIsKept(t *testing.T) {
	d, root := refusing(t)
	logs := map[string]bool{}
	for range 2 {
		res, err := d.Fire(t.Context(), drivestate.TestsPassed, "")
		if err == nil || len(res.Gates) != 1 || res.Gates[0].Excerpt != "the frobnicator is missing\n" {
			t.Fatalf("%v, %+v", err, res.Gates)
		}
		log := res.Gates[0].Log
		if text, err := os.ReadFile(filepath.Join(root, log)); err != nil || string(text) != "the frobnicator is missing\n" || filepath.IsAbs(log) {
			t.Errorf("%s: %q, %v", log, text, err)
		}
		logs[log] = true
	}
	if len(logs) != 2 {
		t.Errorf("one log was written over: %v", logs)
	}
}

// Logs of a linked worktree are with the main one, and there are never too many.
func TestLogsAreKeptAtHomeAndPruned(t *testing.T) {
	root := repository(t)
	begin(t, root)
	tree := filepath.Join(t.TempDir(), "linked")
	git(t, root, "worktree", "add", "-q", tree)
	d := turnstile.Open(tree, turnstile.System())
	s := &drivestate.State{}
	folder := filepath.Join(root, ".claude", "state", "tests")
	for i := range 230 {
		name := filepath.Join("tests", fmt.Sprintf("%d-chunk-1-final-1.log", i))
		write(t, filepath.Join(root, ".claude", "state"), name, "x")
		at := time.Unix(int64(1_000_000-i), 0)
		if err := os.Chtimes(filepath.Join(root, ".claude", "state", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	file, shown := d.Project.NewLogFile("tests", "final", s)
	if here, err := os.Stat(filepath.Dir(file)); err != nil || shown != file || !os.SameFile(here, stat(t, folder)) {
		t.Errorf("%s, shown as %s: %v", file, shown, err)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 199 {
		t.Errorf("%d are left: %v", len(left), err)
	}
	for _, gone := range []string{"199", "229"} {
		if _, err := os.Stat(filepath.Join(folder, gone+"-chunk-1-final-1.log")); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// Rows that something is decided from later say which session they are of; what
// is recorded when none is under way says nothing.
func TestRowsNameTheirSession(t *testing.T) {
	d, _ := refusing(t)
	epoch := func(kind string) (list []int64) {
		t.Helper()
		if _, err := d.Store().Events(func(r event.Row) bool {
			if r.Kind == kind {
				n, _ := r.Data.Get("epoch").Int()
				list = append(list, n)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return list
	}
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := v.State.Session.StartedAtEpoch
	if _, err := d.Fire(t.Context(), drivestate.TestsPassed, ""); err == nil {
		t.Fatal("the gate let it pass")
	}
	if _, err := d.Criteria.Record("42", "- [ ] AC-01: one\n"); err != nil {
		t.Fatal(err)
	}
	if err := d.Criteria.CheckOff("42", []string{"AC-01"}, true); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{event.Gate, event.Criteria, event.Criterion} {
		list := epoch(kind)
		if len(list) == 0 || list[len(list)-1] != want || want == 0 {
			t.Errorf("%s: %v, want %d", kind, list, want)
		}
	}
	fire(t, d, drivestate.Abort)
	fire(t, d, drivestate.AbortResolved)
	for _, without := range []string{"after the session", "without a state"} {
		if err := d.Criteria.CheckOff("42", []string{"AC-01"}, false); err != nil {
			t.Fatal(err)
		}
		if list := epoch(event.Criterion); list[len(list)-1] != 0 {
			t.Errorf("%s: %v", without, list)
		}
		_, _ = d.Reset()
	}
}
