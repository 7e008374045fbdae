package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// What others delete on the same disk does not hide what a run writes.
func TestGrowthWhileOthersDelete(t *testing.T) {
	dir := t.TempDir()
	g := newGrowth([]string{dir})
	g.disks[0].free = 0 // since then, much was deleted
	if err := os.WriteFile(filepath.Join(dir, "a"), make([]byte, 3<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := g.beyond(1); n != 0 {
		t.Errorf("%d bytes were found without a look at the files", n)
	}
	*g.late = time.Time{}
	if n := g.beyond(1); n < 3<<20 {
		t.Errorf("%d bytes were found", n)
	}
}
