package hook

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Git lets no alias replace its own commands, so the hook asks for none: a process for each git
// add made it twice as slow.
func TestGitsOwnCommandsHaveNoAlias(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	for _, args := range []string{"init -q", "config alias.log push", "config alias.publish push"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		if cmd.Dir = dir; cmd.Run() != nil {
			t.Fatal(args)
		}
	}
	if text, ok := findAlias(os.Getenv, dir, "git", "publish"); text != "push" || !ok {
		t.Errorf("an alias is not found: %q", text)
	}
	if text, ok := findAlias(os.Getenv, dir, "git", "log"); ok {
		t.Errorf("git log is git's own command, not %q", text)
	}
}
