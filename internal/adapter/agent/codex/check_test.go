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
	t.Setenv("CODEX_HOME", t.TempDir())
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
	// Another provider may need no login: then it cannot be told.
	config := filepath.Join(os.Getenv("CODEX_HOME"), "config.toml")
	if err := os.WriteFile(config, []byte("model = \"m\"\nmodel_provider = \"mine\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h := New(Options{Path: path}).Check(t.Context()); !h.Installed || h.LoggedIn != nil || h.Advice != "" {
		t.Errorf("another provider: %+v", h)
	}
	t.Setenv("CODEX_API_KEY", "none")
	if h := New(Options{Path: path}).Check(t.Context()); h.LoggedIn == nil || !*h.LoggedIn || h.Advice != "" {
		t.Errorf("with a key: %+v", h)
	}
}
