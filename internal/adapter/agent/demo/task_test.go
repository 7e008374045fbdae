package demo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of the files of a task those count that are named, and are inside.
func TestFilesOfATask(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.txt")
	for link, to := range map[string]string{"link.txt": outside, "away": filepath.Dir(outside)} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	const task = "You implement it.\n\nWORKFLOW TASK 1.1: Write it\nFiles: "
	for _, c := range []struct{ prompt, want string }{
		{task + "a.txt, b/c d.txt\nCriteria:\n- x: y\n\nFiles: other.txt\n", "a.txt|b/c d.txt"},
		{task + "src/*.go, {a,b}.txt, docs, lib/, ../up.txt, /etc/passwd\n", ""},
		{task + "any that the task needs\nDescription:\nFiles: a.txt\n", ""},
		{task + "x.go, data.json, .git/notes.txt, a/.Claude/x.md, link.txt, away/x.txt, new.md\n", "new.md"},
		{"\nWORKFLOW TASK all\nText\nFiles: a.txt\n", ""},
		{"Files: a.txt\n", ""},
		{"", ""},
	} {
		if got := strings.Join(findTaskFiles(dir, c.prompt), "|"); got != c.want {
			t.Errorf("%q names %q", c.prompt, got)
		}
	}
}
