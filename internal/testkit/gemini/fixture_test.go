package gemini

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A place is a home folder with a project in it.
type place struct{ home, dir string }

func newPlace(t *testing.T) place {
	t.Helper()
	Find(t) // a test that cannot run says so before it makes folders
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{home: home, dir: filepath.Join(home, "proj")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// script writes a hook and returns its command.
func (p place) script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(p.home, "hook.sh")
	write(t, path, []byte("#!/bin/sh\n"+text), 0o700)
	return path
}

// A hook is a command that runs on an event; its timeout is in milliseconds.
type hook struct {
	event, matcher, command string
	timeout                 int
}

// settings writes hooks into the settings below a folder: those of the project,
// or those of the user.
func settings(t *testing.T, dir string, hooks ...hook) {
	t.Helper()
	events := map[string][]any{}
	for _, h := range hooks {
		handler := map[string]any{"type": "command", "command": h.command}
		if h.timeout != 0 {
			handler["timeout"] = h.timeout
		}
		group := map[string]any{"hooks": []any{handler}}
		if h.matcher != "" {
			group["matcher"] = h.matcher
		}
		events[h.event] = append(events[h.event], group)
	}
	text, err := json.Marshal(map[string]any{"hooks": events})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".gemini", "settings.json"), text, 0o600)
}

func write(t *testing.T, path string, text []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, mode); err != nil {
		t.Fatal(err)
	}
}

func (p place) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func (p place) run(t *testing.T, s *Server, o Options) Result {
	t.Helper()
	o.Dir, o.Home, o.URL, o.Prompt, o.Timeout = p.dir, p.home, s.URL, "hello", 2*time.Minute
	r := Run(t, o)
	if r.Exit != 0 {
		t.Fatalf("gemini ended with %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	return r
}
