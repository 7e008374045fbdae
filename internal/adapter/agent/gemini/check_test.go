//go:build unix

package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GEMINI_API_KEY", "")
	t.Setenv("GOOGLE_API_KEY", "")
	if h := New(Options{Path: filepath.Join(t.TempDir(), "gemini")}).Check(t.Context()); h.Installed || !strings.Contains(h.Advice, "npm install") {
		t.Errorf("missing: %+v", h)
	}
	path := filepath.Join(t.TempDir(), "gemini")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 0.61.0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if h := New(Options{Path: path}).Check(t.Context()); h.Version != "0.61.0" || h.LoggedIn != nil || !strings.Contains(h.Advice, "GEMINI_API_KEY") {
		t.Errorf("without a key: %+v", h)
	}
	t.Setenv("GEMINI_API_KEY", "none")
	if h := New(Options{Path: path}).Check(t.Context()); h.LoggedIn == nil || !*h.LoggedIn || h.Advice != "" {
		t.Errorf("with a key: %+v", h)
	}
}
