// Package codex runs OpenAI's Codex CLI, the real one, against a scripted model
// on this machine, so that what its hooks do is measured and not believed.
//
// Three facts shape it. The CLI names its tools in each request, differently
// from version to version and model to model, so the Server answers with the
// tools that it was offered. A hook that the user has not trusted is left out
// without a word, so a test that wants hooks passes BypassTrust or writes the
// trust with Trust. And a CODEX_HOME below the system's temporary folder lacks
// the CLI's helper programs, so Home makes one elsewhere.
package codex

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/testkit/need"
)

// Version is what scripts/agent installs and what testdata was recorded with.
const Version = "0.166.0"

// Find returns the program: the one that WARP_CODEX names, or the one that
// scripts/agent has installed. Without either the test counts as not run.
func Find(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("WARP_CODEX"); path != "" {
		return path
	}
	path := filepath.Join(cache(t), "codex-"+Version, "node_modules", ".bin", "codex")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal("the Codex CLI is missing; in CI scripts/agent must install it")
	}
	need.NotRun(t, "the Codex CLI is not installed; scripts/agent installs it")
	return ""
}

// Home makes a home folder for one test. It is not below the system's temporary
// folder, where the CLI refuses to put its helper programs.
func Home(t testing.TB) string {
	t.Helper()
	base := filepath.Join(cache(t), "homes")
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(base, "codex-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	// The CLI compares resolved paths with those of its configuration.
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".codex"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cache is the folder of the scripts, which follow XDG also on macOS.
func cache(t testing.TB) string {
	t.Helper()
	base := os.Getenv("XDG_CACHE_HOME")
	if base == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		base = filepath.Join(home, ".cache")
	}
	return filepath.Join(base, "warp-drive")
}
