package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/sys/sandbox"
)

// What lies above a frozen path cannot be moved away with it: a copy in its place would
// be writable.
func TestWhatIsAboveAFrozenPathStays(t *testing.T) {
	s := newScene(t, sandbox.Bwrap)
	deep := filepath.Join(s.project, "apps", "one", ".claude")
	must(t, os.MkdirAll(filepath.Join(s.project, ".git", "worktrees", "x"), 0o755))
	must(t, os.MkdirAll(deep, 0o755))
	must(t, os.WriteFile(filepath.Join(deep, "settings.json"), []byte("{}"), 0o644))
	s.profile.Frozen = append(s.profile.Frozen, deep, filepath.Join(s.project, ".git", "worktrees", "x"))
	for _, script := range []string{
		"mv apps apps2", "mv apps/one apps/two", "mv apps/one .", "rm -rf apps", "echo x > apps/one/.claude/settings.json", "echo x > .git/worktrees/y",
		"mv apps apps2; cp -r apps2 apps; echo x > apps/one/.claude/settings.json",
	} {
		if res := s.run(t, script); res.Exit == 0 {
			t.Errorf("%s: it succeeded: %s", script, res.Output)
		}
	}
	if text, err := os.ReadFile(filepath.Join(deep, "settings.json")); err != nil || string(text) != "{}" {
		t.Errorf("%q, %v", text, err)
	}
	if res := s.run(t, "set -e; echo x > apps/one/new; mkdir apps/two; mv apps/one/new apps/two/; cat apps/two/new; rm -r apps/two"); res.Exit != 0 || strings.TrimSpace(string(res.Stdout)) != "x" {
		t.Errorf("exit %d, %s", res.Exit, res.Output)
	}
}
