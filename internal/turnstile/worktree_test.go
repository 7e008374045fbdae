//go:build unix

package turnstile_test

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

func fingerprint(t *testing.T, d *turnstile.Drive) string {
	t.Helper()
	tree, err := d.Tree.Fingerprint()
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestTheFingerprintIsOfEverythingButTheStateFolder(t *testing.T) {
	root := repository(t)
	d := turnstile.Open(root, turnstile.System())
	before := fingerprint(t, d)
	write(t, root, ".claude/notes.md", "x\n")
	if fingerprint(t, d) != before {
		t.Error("the state folder counts")
	}
	write(t, root, "new.txt", "x\n")
	after := fingerprint(t, d)
	if after == before {
		t.Error("an untracked file does not count")
	}
	for range 2 { // the second one is remembered
		if list, err := d.Tree.CompareTrees(before, after); err != nil || len(list) != 1 || list[0].Path != "new.txt" {
			t.Errorf("%+v, %v", list, err)
		}
	}
	if list, err := d.Tree.CompareTrees(before, before); err != nil || len(list) != 0 {
		t.Errorf("with itself: %+v, %v", list, err)
	}
	if list, err := d.Tree.CompareTrees(after, before); err != nil || len(list) != 1 || list[0].Status != 'D' {
		t.Errorf("the other way: %+v, %v", list, err)
	}
	if tree := fingerprint(t, turnstile.Open(t.TempDir(), turnstile.System())); tree != "" {
		t.Errorf("without a repository: %q", tree)
	}
}

func TestAWorkTreeIsTakenAtItsWordUntilItMayHaveChanged(t *testing.T) {
	root := repository(t)
	d := turnstile.Open(root, turnstile.System())
	before := fingerprint(t, d)
	d.Tree.AssumeUnchanged(before)
	write(t, root, "new.txt", "x\n")
	if fingerprint(t, d) != before {
		t.Error("it was looked at again")
	}
	d.Tree.AssumeChanged()
	if fingerprint(t, d) == before {
		t.Error("it was not looked at again")
	}
}

// A chunk that removes a test is refused.
func TestAChunkThatWeakensTestsIsRefused(t *testing.T) {
	root := repository(t)
	write(t, root, "a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif 1 != 1 {\n\t\tt.Error(1)\n\t}\n}\n")
	git(t, root, "add", "-A")
	git(t, root, "commit", "-q", "-m", "test: a")
	d := begin(t, root)
	write(t, root, "a_test.go", "package a\n")
	write(t, root, "new.go", "package a\n")
	var gate *turnstile.GateError
	results, err := d.Verify(t.Context(), drivestate.CodeComplete)
	if !errors.As(err, &gate) || len(results) != 1 || !strings.Contains(gate.Result.Reason, "weakens tests") || gate.Broken() {
		t.Fatalf("%+v, %v", results, err)
	}
	if b := state(t, d).Budgets; b.RetryCount != 0 || phase(t, d) != drivestate.Coding {
		t.Errorf("to verify has cost something: %+v", b)
	}
}
