package gitwrite

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// age makes files older than any index: git reads one again that was changed in the second in
// which the index was written.
func (b box) age(names ...string) {
	b.t.Helper()
	for _, name := range names {
		b.ok(os.Chtimes(b.path(name), time.Now(), time.Now().Add(-time.Hour)))
	}
}

// The index knows what files look like that were committed, so that git does not read them again:
// those whose content is what was committed, and no others.
func TestTheIndexKnowsFilesThatWereCommitted(t *testing.T) {
	for name, c := range map[string]struct {
		make  func(b box)
		known []string
	}{
		"one more": {func(b box) { b.write("new, er", "n\n") }, []string{"new, er"}},
		"one less": {func(b box) { b.write("a", "chunk\n"); b.ok(os.Remove(b.path("b"))) }, []string{"a"}},
		"a file in place of a folder": {func(b box) {
			b.ok(os.RemoveAll(b.path("sub")))
			b.write("sub", "file\n")
		}, []string{"sub"}},
		"too many for a command": {func(b box) {
			for n := range 200 {
				b.write(fmt.Sprintf("%s-%d", strings.Repeat("n", 100), n), "n\n")
			}
		}, []string{strings.Repeat("n", 100) + "-7"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			b.write("mine", "untracked\n")
			base := b.snap()
			c.make(b)
			b.age(c.known...)
			b.commitSince(base)
			for _, name := range c.known {
				if says := b.git("ls-files", "--debug", "--", ":(literal)"+name); strings.Contains(says, "mtime: 0:0") {
					t.Errorf("git would read %s again: %s", name, says)
				}
			}
			b.wantStatus("?? mine")
		})
	}
}

// What came into a file after it was judged is no part of the commit, and is seen.
func TestTheIndexDoesNotKnowAFileThatChangedSince(t *testing.T) {
	b := newBox(t)
	base := b.snap()
	b.write("a", "chunk\n")
	change := b.change(base)
	change.Tree = b.snap()
	b.write("a", "later\n")
	b.age("a")
	if _, err := b.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	b.wantBlob("HEAD:a", "chunk\n")
	b.wantStatus(" M a")
}
