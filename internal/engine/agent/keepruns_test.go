package agent_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// The transcripts of a work tree outlive it, and are found by the paths in the evidence.
func TestRunsOutliveTheirWorkTree(t *testing.T) {
	// The project may itself be a work tree of another one.
	root := filepath.Join(t.TempDir(), ".claude", "worktrees", "mine")
	tree := filepath.Join(root, ".claude", "worktrees", "issue-7")
	open := func(dir string) *durable.Store {
		return durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), Now: time.Now})
	}
	if err := agent.KeepRuns(open(tree), open(root), time.Now); err != nil {
		t.Fatalf("a work tree without runs: %v", err)
	}
	log := filepath.Join(tree, ".claude", "state", "runs", "dmye90kwkc77-4l7m5o-command", "output.log")
	for _, file := range []string{log, filepath.Join(tree, ".claude", "state", "runs", "notes", "mine.txt")} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("it said this"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have := agent.FindLog(log); have != log {
		t.Errorf("before it is moved it is at %s", have)
	}
	if err := agent.KeepRuns(open(tree), open(root), time.Now); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	found := agent.FindLog(log)
	if text, err := os.ReadFile(found); err != nil || string(text) != "it said this" {
		t.Errorf("at %s: %q, %v", found, text, err)
	}
	if _, err := os.Lstat(filepath.Join(root, ".claude", "state", "runs", ".gitignore")); err != nil {
		t.Errorf("git would see it: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(root, ".claude", "state", "runs", "notes")); err == nil {
		t.Error("what is no run was moved too")
	}
	if have := agent.FindLog(filepath.Join(root, "gone.log")); have != filepath.Join(root, "gone.log") {
		t.Errorf("another file is looked for at %s", have)
	}
}
