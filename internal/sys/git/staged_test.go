package git

import (
	"os"
	"testing"
)

// What is staged between two questions is seen, whoever stages it.
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

// A snapshot takes an earlier tree where nothing has changed, and never where something has.
func TestSnapshotsShareTheirTree(t *testing.T) {
	b, root := openedAs(t)
	b.write("f", "1")
	b.commit()
	b.write("g", "1")
	one := b.snap()
	for _, content := range []string{"2", "3", "2"} { // as long as before, in the same moment
		b.write("g", content)
		b.holds(b.snap(), "f=1", "g="+content)
	}
	b.write("g", "1")
	if again := b.snap(); again != one {
		t.Errorf("%s, want %s", again, one)
	}
	b.ok(os.Chmod(b.path("g"), 0o755))
	if now := b.snap(); now == one {
		t.Error("a mode that changed was not seen")
	}
	b.ok(os.Chmod(b.path("g"), 0o644))
	b.collect()
	if IsLoose(root.Common()+"/objects", one) {
		t.Fatal("the tree is still there: nothing was shown")
	}
	if again := b.snap(); again != one {
		t.Errorf("%s, want %s", again, one)
	}
	b.holds(one, "f=1", "g=1")
}
