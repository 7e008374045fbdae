package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/forge"
)

// What List passes over is known by name.
func TestOddFilesAreNamed(t *testing.T) {
	tracker, root := fresh(t)
	if odd, err := ListOdd(tracker); odd != nil || err != nil {
		t.Errorf("without a folder: %q, %v", odd, err)
	}
	write(t, root, 1, "# One\n")
	dir := filepath.Join(root, filepath.FromSlash(issuesFolder))
	for _, name := range []string{"02.md", "notes.md", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "3.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if odd, err := ListOdd(tracker); err != nil || strings.Join(odd, " ") != "02.md 3.md notes.md" {
		t.Errorf("%q, %v", odd, err)
	}
	if odd, err := ListOdd(elsewhere{tracker}); odd != nil || err != nil {
		t.Errorf("another tracker: %q, %v", odd, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ListOdd(tracker); err == nil {
		t.Error("a file was listed as a folder")
	}
}

type elsewhere struct{ forge.Tracker }
