//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/claude"
	"warp/internal/testkit/codex"
	"warp/internal/testkit/gemini"
	"warp/internal/testkit/need"
)

// ordinary is the user that owns nothing.
const ordinary = "65534"

// Root may do what users may not: the same is shown by a user who has no rights at
// all. The test runs itself as one, with the agents where that user can read them.
func TestRealAgentsWorkInASandboxOfAnOrdinaryUser(t *testing.T) {
	need.Linux(t)
	need.Root(t)
	setpriv := need.Tool(t, "setpriv")
	as := []string{"--reuid", ordinary, "--regid", ordinary, "--clear-groups", "--no-new-privs"}
	if out, err := exec.Command(setpriv, append(as, need.Tool(t, "bwrap"), "--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "true")...).CombinedOutput(); err != nil {
		need.NotRun(t, "an ordinary user may make no namespaces here: "+strings.TrimSpace(string(out)))
	}
	base, err := os.MkdirTemp("/var/tmp", "warp-user-") // not in /tmp, which is a sandbox's own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	tried := []string{claude.Find(t), codex.Find(t)} // Gemini CLI has thousands of files
	if wholeMatrix() {
		tried = append(tried, gemini.Find(t))
	}
	shell(t, `umask 022; chmod 755 "$BASE"; mkdir "$BASE/cache" "$BASE/bin" "$BASE/tmp" "$BASE/home"; cp "$BIN"/* "$SELF" "$BASE/bin"
		mkdir "$BASE/cache/warp-drive"
		for agent in "$@"; do dir=${agent%%/node_modules/*}; cp -al "$dir" "$BASE/cache/warp-drive/" 2>/dev/null || cp -a "$dir" "$BASE/cache/warp-drive/"; done
		chmod 755 "$BASE"/cache/warp-drive/*
		chown `+ordinary+` "$BASE/cache/warp-drive" "$BASE/tmp" "$BASE/home"`,
		[]string{"BASE=" + base, "BIN=" + bin, "SELF=" + self(t)}, tried...)
	cmd := exec.Command(setpriv, append(as, filepath.Join(base, "bin", filepath.Base(self(t))), "-test.run", "^TestRealAgentsWorkInASandbox$", "-test.v", "-test.count=1")...)
	cmd.Dir = base
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + base + "/home", "TMPDIR=" + base + "/tmp", "XDG_CACHE_HOME=" + base + "/cache", "LANG=C.UTF-8",
		builtIn + "=" + base + "/bin", "WARP_NOT_RUN=" + os.Getenv("WARP_NOT_RUN"), "WARP_MATRIX=" + os.Getenv("WARP_MATRIX"), "CI=" + os.Getenv("CI")}
	out, err := cmd.CombinedOutput()
	if text := string(out); err != nil || !strings.Contains(text, "--- PASS: TestRealAgentsWorkInASandbox/bwrap/claude") || strings.Contains(text, "SKIP") {
		t.Errorf("%v\n%s", err, out)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func shell(t *testing.T, script string, env []string, args ...string) {
	t.Helper()
	cmd := exec.Command("sh", append([]string{"-ec", script, "sh"}, args...)...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
