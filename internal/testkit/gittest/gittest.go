// Package gittest is what tests on real repositories have in common.
package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Main runs the tests of a package without the settings of git that this machine
// has.
func Main(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// Init is a script that makes a repository with a committer.
const Init = "git init -q -b main; git config user.name t; git config user.email t@example.invalid\n"

// Dir is a folder whose path leads through no link.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	Must(t, err)
	return dir
}

// LooseDir is Dir for tests in which engines die: what they had set out to do, such as to show
// a moment later what they are doing, may be done while the folder is removed. Then it is
// removed again.
func LooseDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "warp-test-")
	Must(t, err)
	t.Cleanup(func() {
		for range 100 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("removing the test's folder: %v", err)
	})
	dir, err = filepath.EvalSymlinks(dir)
	Must(t, err)
	return dir
}

// Sh runs a script in a folder, and returns what it says.
func Sh(t testing.TB, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Must ends the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
