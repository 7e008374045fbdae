package need

import (
	"os"
	"path/filepath"
	"testing"
)

// Temporal is the path of Temporal's server for one machine, which scripts/setup builds.
func Temporal(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cache, "warp-drive", "temporal-1.5.1", "temporal")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal("the Temporal server is missing; in CI scripts/setup must build it")
	}
	NotRun(t, "the Temporal server is not built; scripts/setup builds it")
	return ""
}
