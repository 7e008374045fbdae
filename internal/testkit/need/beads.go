package need

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Beads is the folder of the real bd: in PATH, or where scripts/setup has built
// it, which is not possible everywhere.
func Beads(t testing.TB) string {
	t.Helper()
	if path, err := exec.LookPath("bd"); err == nil {
		return filepath.Dir(path)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "warp-drive", "bd-0.47.1")
	if _, err := os.Stat(filepath.Join(dir, "bd")); err != nil {
		NotRun(t, "bd (Beads) is neither on PATH nor built by scripts/setup; its recorded answers are used elsewhere")
	}
	return dir
}
