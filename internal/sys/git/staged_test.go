package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What others stage between two questions is seen.
func TestStagedIsAskedAgainWhenTheIndexChanged(t *testing.T) {
	b, root := openedAs(t)
	b.write("f", "1")
	head := b.commit()
	count := func() int {
		t.Helper()
		list, err := root.Staged(t.Context(), head)
		b.ok(err)
		return len(list)
	}
	for round := range 3 {
		if n := count(); n != 0 {
			t.Errorf("round %d: %d before anything was staged", round, n)
		}
		b.write("f", string(rune('2'+round))) // as long as before
		b.git("add", "f")
		if n := count(); n != 1 {
			t.Errorf("round %d: %d after it was staged", round, n)
		}
		b.git("reset", "-q")
	}
	count()
	t.Setenv("PATH", t.TempDir()) // there is no git
	count()
	b.ok(os.Remove(b.path(".git/index")))
	if _, err := root.Staged(t.Context(), head); err == nil {
		t.Error("an index that is gone was not asked about")
	}
}

// An agent can delete objects: a snapshot that finds what an earlier one has found writes its
// folders all the same.
func TestASnapshotWritesWhatWasDeleted(t *testing.T) {
	b, root := openedAs(t)
	b.write("d/a", "1")
	b.commit()
	b.write("d/a", "2")
	one := b.snap()
	folder := strings.TrimSpace(b.git("rev-parse", one+":d"))
	b.ok(os.Remove(filepath.Join(root.Common(), "objects", folder[:2], folder[2:])))
	b.holds(b.snap(), "d/a=2")
}
