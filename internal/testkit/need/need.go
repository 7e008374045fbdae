// Package need says what a test needs from the machine. What is missing makes
// the test say loudly that it did not run, and counts it; in CI, where it could
// have been installed, it is a failure.
package need

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Tool wants a program that scripts/setup installs, and returns its path.
func Tool(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	for _, dir := range []string{"/sbin", "/usr/sbin"} {
		if path := filepath.Join(dir, name); exec.Command("test", "-x", path).Run() == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing; in CI scripts/setup must install it", name)
	}
	NotRun(t, name+" is not installed")
	return ""
}

// Linux wants Linux.
func Linux(t testing.TB) {
	t.Helper()
	if runtime.GOOS != "linux" {
		NotRun(t, "it needs Linux")
	}
}

// Root wants the right to mount file systems, which no package can install.
func Root(t testing.TB) {
	t.Helper()
	Linux(t)
	if os.Geteuid() != 0 {
		NotRun(t, "it needs root, to mount file systems")
	}
}

// NotRun skips a test, loudly: the line is shown at the end of make test.
func NotRun(t testing.TB, why string) {
	t.Helper()
	line := fmt.Sprintf("%s: %s", t.Name(), why)
	if path := os.Getenv("WARP_NOT_RUN"); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatalf("counting a test that does not run: %v", err)
		}
		fmt.Fprintln(f, line)
		if err := f.Close(); err != nil {
			t.Fatalf("counting a test that does not run: %v", err)
		}
	}
	t.Skip("NOT RUN: " + why)
}
