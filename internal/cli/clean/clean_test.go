package clean_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/cli/app"
	"warp/internal/cli/clean"
	"warp/internal/testkit/need"
	"warp/internal/turnstile"
)

// On a terminal it asks, and takes nothing but a yes for a yes.
func TestAPersonIsAsked(t *testing.T) {
	need.Tool(t, "git")
	dir := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
		return string(out)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	git("branch", "feature/issue-1-done")
	for _, c := range []struct {
		answer string
		yes    bool
	}{{"", false}, {"\n", false}, {"n\n", false}, {"yep\n", false}, {"Y\n", true}} {
		var out bytes.Buffer
		a := &app.App{In: strings.NewReader(c.answer), Out: &out, Err: &out, Dir: dir, Env: turnstile.System(), Terminal: true, Getenv: func(string) string { return "" }}
		cmd := clean.New(a)
		cmd.SetArgs(nil)
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		gone := git("branch", "--list", "feature/*") == ""
		if gone != c.yes || !strings.Contains(out.String(), "Remove what is marked (1)? [y/N]") {
			t.Errorf("%q: removed: %t\n%s", c.answer, gone, &out)
		}
	}
}
