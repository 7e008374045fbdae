// Package gemini runs Google's Gemini CLI, the real one, against a scripted model
// on this machine, so that what its hooks do is measured and not believed.
//
// The CLI runs hooks only in a folder that it trusts, and without a user it does
// not start in any other; Run trusts the folder for the one run. It asks the
// model also on its own account, to choose a model or to summarize: only the
// streamed questions are the conversation, so only these follow the script.
package gemini

import (
	"os"
	"path/filepath"
	"testing"

	"warp/internal/testkit/need"
)

// Version is what scripts/agent installs and what testdata was recorded with.
const Version = "0.61.0"

// Find returns the program: the one that WARP_GEMINI names, or the one that
// scripts/agent has installed. Without either the test counts as not run.
func Find(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("WARP_GEMINI"); path != "" {
		return path
	}
	path := filepath.Join(cache(t), "gemini-"+Version, "node_modules", ".bin", "gemini")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatal("the Gemini CLI is missing; in CI scripts/agent must install it")
	}
	need.NotRun(t, "the Gemini CLI is not installed; scripts/agent installs it")
	return ""
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
