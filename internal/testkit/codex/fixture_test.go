package codex

import (
	"os"
	"path/filepath"
	"testing"
)

// A place is a home folder with a project in it.
type place struct{ home, dir, hooks string }

func newPlace(t *testing.T) place {
	t.Helper()
	Find(t) // a test that cannot run says so before it makes folders
	home := Home(t)
	p := place{home: home, dir: filepath.Join(home, "proj"), hooks: filepath.Join(home, ".codex", "hooks.json")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return p
}

// script writes a hook and returns its command.
func (p place) script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(p.home, "hook.sh")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func (p place) has(name string) bool {
	_, err := os.Stat(filepath.Join(p.dir, name))
	return err == nil
}

func (p place) run(t *testing.T, s *Server, o Options) Result {
	t.Helper()
	o.Dir, o.Home, o.URL, o.Prompt = p.dir, p.home, s.URL, "hello"
	r := Run(t, o)
	if r.Exit != 0 {
		t.Fatalf("codex ended with %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	return r
}
