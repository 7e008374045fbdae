package durable_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/durable"
)

// A clone that has links under .claude reads and writes nothing through them.
func TestLinksAreNotFollowed(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{filepath.Join(root, ".claude"), filepath.Join(outside, "auth")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(outside, "auth", "state.json"), []byte(`{"a":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, ".claude", "pipeline-runs")); err != nil {
		t.Skip(err)
	}
	s := durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), Now: time.Now, PID: os.Getpid()})
	const file = ".claude/pipeline-runs/auth/state.json"
	refused := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := s.ReadFile(file)
	refused("reading", err)
	_, err = s.List(".claude/pipeline-runs/auth")
	refused("listing", err)
	refused("editing", s.EditFile(file, func([]byte) ([]byte, error) { return []byte("mine"), nil }))
	refused("removing", s.RemoveFile(file))
	refused("checking", s.CheckFolder("pipeline-runs"))
	type doc struct {
		A int `json:"a"`
	}
	d := durable.Open(s, "pipeline-runs/auth/state.json", durable.Kind[doc]{Name: "x"})
	_, err = d.Read()
	refused("a document", err)
	_, err = d.Update(func(tx *durable.Tx[doc]) error { tx.Doc = &doc{2}; return nil })
	refused("updating a document", err)
	if text, err := os.ReadFile(filepath.Join(outside, "auth", "state.json")); err != nil || string(text) != `{"a":1}` {
		t.Errorf("%s %v", text, err)
	}
}
