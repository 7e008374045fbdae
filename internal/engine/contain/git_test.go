package contain

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/need"
)

// repository makes the world's project one, with a linked work tree, and returns that.
func (w world) repository(t *testing.T) (linked string) {
	t.Helper()
	need.Tool(t, "git")
	linked = filepath.Join(w.user, "linked")
	w.git(t, w.Root, "init", "-q", "-b", "main")
	for _, args := range [][]string{
		{"config", "user.name", "t"}, {"config", "user.email", "t@example.invalid"}, {"config", "remote.origin.url", "https://me:hunter2@forge.invalid/x.git"},
		{"config", "http.https://forge.invalid/.extraheader", "AUTHORIZATION: basic aHVudGVyMg=="},
		{"add", "."}, {"commit", "-q", "-m", "begin"}, {"worktree", "add", "-q", "-b", "work", linked},
	} {
		w.git(t, w.Root, args...)
	}
	return linked
}

func (w world) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+w.user, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w world) inTree(t *testing.T, top, script string, readOnly bool) string {
	t.Helper()
	git := filepath.Join(w.Root, ".git")
	r, err := w.Confine(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: top, Env: w.Environ, Timeout: time.Minute},
		Order{Name: "agent", Top: top, Git: git, Frozen: []string{filepath.Join(top, ".git"), git}, ReadOnly: readOnly})
	must(t, err)
	res, err := proc.Run(t.Context(), r.Cmd)
	must(t, err)
	must(t, r.Close())
	return strings.TrimSpace(string(res.Output))
}

// Git's folder is read-only, and says nothing of logins.
func TestGitIsReadOnly(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	linked := w.repository(t)
	for _, top := range []string{w.Root, linked} {
		out := w.inTree(t, top, `git log --format=%s; echo x > new; git add new 2>/dev/null || echo held; git config remote.origin.url; grep -rciE 'hunter2|aHVudGVyMg' $(git rev-parse --git-common-dir)/config; rm new`, false)
		if want := "begin\nheld\nhttps://forge.invalid/x.git\n0"; out != want {
			t.Errorf("%s: %q, not %q", top, out, want)
		}
	}
	if url := w.git(t, w.Root, "config", "remote.origin.url"); !strings.Contains(url, "hunter2") {
		t.Errorf("the user's own settings were changed: %q", url)
	}
}

// An agent that insists may commit in a folder of its own, of which nothing comes back
// but what it did to the work tree.
func TestPrivateGit(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	w.Settings.PrivateGit = true
	linked := w.repository(t)
	for _, top := range []string{w.Root, linked} {
		before := w.git(t, w.Root, "for-each-ref") + w.git(t, top, "rev-parse", "HEAD")
		for range 2 { // the next run begins with the user's again
			out := w.inTree(t, top, `set -e; git status --porcelain --untracked-files=no; echo x >> code.txt; git commit -qam mine; git tag t; git branch -q other; git log --format=%s | tr '\n' ' '
git checkout -q other; git stash list; cp /bin/true .git/hooks/x 2>/dev/null || true; git config core.hooksPath /tmp; grep -c hunter2 $(git rev-parse --git-common-dir)/config || true`, false)
			if want := "mine begin 0"; out != want && out != "M code.txt\nmine begin 0" {
				t.Errorf("%s: %q, not %q", top, out, want)
			}
		}
		if after := w.git(t, w.Root, "for-each-ref") + w.git(t, top, "rev-parse", "HEAD"); after != before {
			t.Errorf("the user's references are\n%s\nnot\n%s", after, before)
		}
		if status := w.git(t, top, "status", "--porcelain"); status != "M code.txt" {
			t.Errorf("the work tree: %q", status)
		}
		w.git(t, top, "fsck", "--connectivity-only")
	}
	if out := w.inTree(t, w.Root, "git commit -q --allow-empty -m x 2>/dev/null || echo held", true); out != "held" {
		t.Errorf("one who may only look: %q", out)
	}
}
