package agent

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAVersionIsShortOrMissing(t *testing.T) {
	for _, c := range []struct{ script, version, broken string }{
		{"echo 2.0.1 '(Claude Code)'; echo more", "2.0.1 (Claude Code)", ""},
		{"printf '1\\033[2J0'", `1\u001b[2J0`, ""},
		{"exit 0", "", ""},
		{"echo one >&2; echo two >&2; exit 7", "", "tool --version fails with exit code 7: two"},
		{"exit 7", "", "tool --version fails with exit code 7"},
		{"exec sleep 60", "", "tool --version did not answer in time"},
		{"exec yes", "", "tool --version did not answer in time"},
	} {
		path := filepath.Join(t.TempDir(), "tool")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		patience := time.Minute
		if c.broken == "tool --version did not answer in time" {
			patience = time.Millisecond
		}
		if version, broken := askVersion(context.Background(), path, patience); version != c.version || broken != c.broken {
			t.Errorf("%s: %q, %q", c.script, version, broken)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, broken := askVersion(ctx, "/bin/sh", time.Minute); broken != "sh --version did not answer in time" {
		t.Errorf("out of time: %q", broken)
	}
	if _, broken := askVersion(t.Context(), filepath.Join(t.TempDir(), "none"), time.Minute); broken == "" {
		t.Error("what is not there has a version")
	}
}

// A program that ends without a word has no last one: no colon is left behind.
func TestLastWords(t *testing.T) {
	for stderr, want := range map[string]string{"": "", " \n": "", "a\nb\n": ": b"} {
		if got := LastWords(stderr); got != want {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}
