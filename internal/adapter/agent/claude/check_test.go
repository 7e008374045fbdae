//go:build unix

package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckOfWhatIsNotThere(t *testing.T) {
	h := New(Options{Path: filepath.Join(t.TempDir(), "claude")}).Check(t.Context())
	if h.Installed || !strings.Contains(h.Advice, "npm install") {
		t.Errorf("%+v", h)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		script   string
		version  string
		loggedIn *bool
		advice   string
	}{
		"well":          {`[ $1 = auth ] && echo '{"loggedIn":true}' || echo "2.1.325 (Claude Code)"`, "2.1.325", ptr(true), ""},
		"not logged in": {`[ $1 = auth ] && { echo '{"loggedIn":false}'; exit 1; } || echo "2.1.325 (Claude Code)"`, "2.1.325", ptr(false), "claude auth login"},
		"old":           {`[ $1 = auth ] && { echo "unknown command"; exit 1; } || echo "1.0"`, "1.0", nil, ""},
		"broken":        {`exit 1`, "", nil, "install"},
	} {
		path := filepath.Join(t.TempDir(), "claude")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		h := New(Options{Path: path}).Check(t.Context())
		same := (h.LoggedIn == nil) == (c.loggedIn == nil) && (h.LoggedIn == nil || *h.LoggedIn == *c.loggedIn)
		if !h.Installed || h.Version != c.version || !same || !strings.Contains(h.Advice, c.advice) || (c.advice == "") != (h.Advice == "") {
			t.Errorf("%s: %+v", name, h)
		}
	}
}

func ptr(b bool) *bool { return &b }
