//go:build unix

package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Setenv("CODEX_API_KEY", "")
	if h := New(Options{Path: filepath.Join(t.TempDir(), "codex")}).Check(t.Context()); h.Installed || !strings.Contains(h.Advice, "npm install") {
		t.Errorf("missing: %+v", h)
	}
	path := filepath.Join(t.TempDir(), "codex")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ $1 = login ] && exit 1 || echo codex-cli 0.166.0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if h := New(Options{Path: path}).Check(t.Context()); h.Version != "0.166.0" || h.LoggedIn == nil || *h.LoggedIn || !strings.Contains(h.Advice, "codex login") {
		t.Errorf("not logged in: %+v", h)
	}
	t.Setenv("CODEX_API_KEY", "none")
	if h := New(Options{Path: path}).Check(t.Context()); h.LoggedIn == nil || !*h.LoggedIn || h.Advice != "" {
		t.Errorf("with a key: %+v", h)
	}
}
