//go:build linux

package guard

import (
	"os"
	"testing"
)

// Guards share the copies of files that are the same for them, and none changes what another
// has.
func TestGuardsShareCopies(t *testing.T) {
	root := t.TempDir()
	one, two, three := newCopies(root, t.TempDir()), newCopies(root, t.TempDir()), newCopies(root, t.TempDir())
	write := func(content string) {
		t.Helper()
		must(t, os.WriteFile(one.live("f"), []byte(content), 0o600))
	}
	has := func(c *copies, want string, share *copies) {
		t.Helper()
		got, err := os.ReadFile(c.at("f"))
		if must(t, err); string(got) != want {
			t.Errorf("the copy is %q, want %q", got, want)
		}
		if !c.intact("f") {
			t.Error("the copy is not intact")
		}
		if share == nil {
			return
		}
		a, err := os.Stat(c.at("f"))
		must(t, err)
		if b, err := os.Stat(share.at("f")); err != nil || !os.SameFile(a, b) {
			t.Errorf("the copy is not shared: %v", err)
		}
	}
	write("first\n")
	must(t, one.add("f", true))
	must(t, two.add("f", true))
	has(two, "first\n", one)

	write("second, and longer\n")
	must(t, one.add("f", true))
	has(one, "second, and longer\n", nil)
	has(two, "first\n", nil)
	must(t, two.add("f", true))
	has(two, "second, and longer\n", one)

	// What is changed back in size and time is another file.
	at, err := os.Stat(one.live("f"))
	must(t, err)
	write("another, as long!!\n")
	must(t, os.Chtimes(one.live("f"), at.ModTime(), at.ModTime()))
	four := newCopies(root, t.TempDir())
	must(t, four.add("f", true))
	has(four, "another, as long!!\n", nil)
	write("second, and longer\n")
	must(t, one.add("f", true))
	must(t, two.add("f", true))

	two.clear()
	has(one, "second, and longer\n", nil)

	must(t, os.WriteFile(one.at("f"), []byte("an agent was here\n"), 0o600))
	must(t, three.add("f", true))
	has(three, "second, and longer\n", nil)
	one.clear()
	has(three, "second, and longer\n", nil)
}
