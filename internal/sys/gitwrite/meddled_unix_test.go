//go:build unix

package gitwrite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A prune at the wrong moment removes what git has registered so far, and it is added again;
// another git that adds the same work tree at that moment, that of an engine which was killed,
// has done it then. The program in the place of git does what the race does, once.
func TestAWorktreeThatOthersMeddleWithWhileItIsAdded(t *testing.T) {
	for name, race := range map[string]string{
		"pruned": `GIT -C REPO branch side TIP
	echo "fatal: could not open '.git/worktrees/side/HEAD' for writing: No such file or directory" >&2
	exit 128`,
		"pruned later": `GIT -C REPO branch side TIP
	echo "fatal: not a git repository: REPO/.git/worktrees/side" >&2
	exit 128`,
		"branch": `GIT -C REPO branch side TIP`,
		"added":  `GIT -C REPO worktree add -q -b side PATH TIP`,
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t)
			tip := b.commit()
			git, err := exec.LookPath("git")
			if err != nil {
				t.Fatal(err)
			}
			bin, path := t.TempDir(), filepath.Join(t.TempDir(), "side")
			script := `#!/bin/sh
case "$*" in
*"worktree add"*) if mkdir "` + bin + `/once" 2> /dev/null; then
	` + strings.NewReplacer("GIT", git, "REPO", b.Dir, "PATH", path, "TIP", tip).Replace(race) + `
fi ;;
esac
exec "` + git + `" "$@"
`
			if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			if _, err := b.in(b.Dir).AddWorktree(t.Context(), path, "side", tip); err != nil {
				t.Fatal(err)
			}
			if have := b.git("-C", path, "symbolic-ref", "HEAD"); strings.TrimSpace(have) != "refs/heads/side" {
				t.Errorf("checked out is %q", have)
			}
			if _, err := os.Stat(filepath.Join(bin, "once")); err != nil {
				t.Error("nothing was done meanwhile")
			}
		})
	}
}
