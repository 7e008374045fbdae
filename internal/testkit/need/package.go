package need

import (
	"os"
	"path/filepath"
	"testing"
)

// Package wants a program that scripts/agent installs with npm, in the version
// that the tests were written against, and returns its path.
func Package(t testing.TB, name, version string) string {
	t.Helper()
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" { // as the script has it, also on a Mac
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	path := filepath.Join(cache, "warp-drive", name+"-"+version, "node_modules", ".bin", name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s %s is missing; in CI scripts/agent must install it", name, version)
	}
	NotRun(t, name+" "+version+" is not installed (scripts/agent does it)")
	return ""
}
