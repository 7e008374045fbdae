//go:build unix

package gitwrite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A prune at the wrong moment removes what git has registered so far; it is added again.
// The program in the place of git does what the race does, once.
func TestAWorktreeThatIsPrunedWhileItIsAdded(t *testing.T) {
	b := newBox(t)
	tip := b.commit()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	script := `#!/bin/sh
case "$*" in
*"worktree add"*) if mkdir "` + bin + `/once" 2> /dev/null; then
	"` + git + `" -C "` + b.Dir + `" branch side ` + tip + `
	echo "fatal: could not open '.git/worktrees/side/HEAD' for writing: No such file or directory" >&2
	exit 128
fi ;;
esac
exec "` + git + `" "$@"
`
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	path := filepath.Join(t.TempDir(), "side")
	if _, err := b.in(b.Dir).AddWorktree(t.Context(), path, "side", tip); err != nil {
		t.Fatal(err)
	}
	if have := b.git("-C", path, "symbolic-ref", "HEAD"); strings.TrimSpace(have) != "refs/heads/side" {
		t.Errorf("checked out is %q", have)
	}
	if _, err := os.Stat(filepath.Join(bin, "once")); err != nil {
		t.Error("nothing was pruned")
	}
}
