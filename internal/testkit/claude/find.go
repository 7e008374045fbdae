// Package claude runs the real Claude Code in tests, offline, against a
// stand-in for its API.
//
// It guarantees:
//
//   - It is the version that the tests were written against, unless
//     WARP_CLAUDE names another binary.
//   - It sees nothing of the user: home, configuration and temporary files are
//     scratch folders, and of the environment it gets only what Options names
//     and what every program needs. Runs with the same Options.Home share
//     their sessions, so that one can resume another.
//   - It reaches no host but the API it is given, and tries a failed request
//     once more at most.
//   - No process of the group that it leads outlives the test.
//
// It leaves alone what left the group. Hooks and commands of the Bash tool lead
// sessions of their own, so they outlive a Claude Code that is killed; a test
// that kills it in the middle of one ends that one itself.
package claude

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// Version is the Claude Code that the tests were written against. The script
// scripts/agent installs it.
const Version = "2.1.325"

// Find returns the path of Claude Code. A test does not run where it is
// missing, and fails in CI.
func Find(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("WARP_CLAUDE"); path != "" {
		return path
	}
	if path := installed(); path != "" {
		return path
	}
	if path, err := exec.LookPath("claude"); err == nil {
		out, err := exec.Command(path, "--version").Output()
		if err == nil && strings.HasPrefix(string(out), Version+" ") {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("Claude Code %s is missing; in CI scripts/agent must install it", Version)
	}
	need.NotRun(t, "Claude Code "+Version+" is not installed (scripts/agent does it)")
	return ""
}

// installed is where scripts/agent puts it. That is not os.UserCacheDir, which
// is another folder on a Mac.
func installed() string {
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	path := filepath.Join(cache, "warp-drive", "claude-"+Version, "node_modules", ".bin", "claude")
	if _, err := exec.LookPath(path); err != nil {
		return ""
	}
	return path
}
