package program

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// A script that a shell is to run is seen in a sandbox; other words are no files.
func TestNeedsTheFilesOfItsCommandLine(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "agent.sh")
	if err := os.WriteFile(script, []byte("true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := New(Options{Argv: []string{"sh", script, dir, "/no/such/file", "-x", "agent.sh"}}).(interface {
		Needs(agent.Task, []string) contain.Needs
	})
	if n := a.Needs(agent.Task{}, nil); !slices.Equal(n.Read, []string{script}) {
		t.Errorf("%q", n.Read)
	}
}
