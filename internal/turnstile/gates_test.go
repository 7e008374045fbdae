//go:build unix

package turnstile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/drive"
	"warp/internal/turnstile"
)

// refusing walks a drive to testing, where a gate refuses tests_passed.
func refusing(t *testing.T) (*turnstile.Drive, string) {
	t.Helper()
	root := repository(t)
	d := begin(t, root)
	write(t, root, "new.txt", "x\n")
	fire(t, d, drive.CodeComplete)
	fire(t, d, drive.DocsUpdated)
	write(t, root, ".claude/settings.local.json", `{"_workflow":{"verification_gates":{"tests_passed":["echo the frobnicator is missing; exit 3"]}}}`)
	return d, root
}

// A refusal that makes another event true counts once, as that event.
func TestARefusalThatIsAnotherEvent(t *testing.T) {
	d, _ := refusing(t)
	res, err := d.FireOr(t.Context(), drive.TestsPassed, drive.TestsFailed, "")
	var refused *turnstile.GateError
	if !errors.As(err, &refused) || refused.Broken() || res.To != drive.Coding || phase(t, d) != drive.Coding {
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
		res, err := d.Fire(t.Context(), drive.TestsPassed, "")
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
	s := &drive.State{}
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
