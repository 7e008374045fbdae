package gitwrite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A box is a throw-away repository.
type box struct {
	Tree
	t *testing.T
}

// newBox makes a repository on the branch main with the files a, b and sub/c,
// away from the configuration of the person who runs the tests.
func newBox(t *testing.T, initArgs ...string) box {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, v := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Setenv(v, "x")
		os.Unsetenv(v)
	}
	dir := realTemp(t)
	b := box{Tree{Dir: dir}, t}
	b.git(slices.Concat([]string{"init", "-q", "-b", "main"}, initArgs)...)
	b.git("config", "user.name", "User")
	b.git("config", "user.email", "user@example.org")
	b.git("config", "commit.gpgSign", "false")
	b = b.in(dir)
	b.write("a", lines("a", 9))
	b.write("b", lines("b", 9))
	b.write("sub/c", "c\n")
	b.commit()
	return b
}

// lines is a text of numbered lines.
func lines(name string, n int) string {
	var s strings.Builder
	for i := range n {
		s.WriteString(name + string(rune('1'+i)) + "\n")
	}
	return s.String()
}

// with replaces one line of a text.
func with(text, old, now string) string { return strings.Replace(text, old+"\n", now+"\n", 1) }

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func notOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not to be had on Windows")
	}
}

// in opens another folder.
func (b box) in(dir string) box {
	b.t.Helper()
	tree, err := Open(dir)
	b.ok(err)
	return box{tree, b.t}
}

func (b box) try(args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = b.Dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// git runs git as the user would.
func (b box) git(args ...string) string {
	b.t.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (b box) path(name string) string { return filepath.Join(b.Dir, filepath.FromSlash(name)) }

func (b box) write(name, content string) {
	b.t.Helper()
	b.ok(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.ok(os.WriteFile(b.path(name), []byte(content), 0o644))
}

// script makes a hook.
func (b box) script(name, text string) {
	b.t.Helper()
	notOnWindows(b.t)
	b.write(name, "#!/bin/sh\n"+text)
	b.ok(os.Chmod(b.path(name), 0o755))
}

func (b box) commit() string {
	b.t.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", "m")
	return b.git("rev-parse", "HEAD")
}

func (b box) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// snap is what an engine does before it lets an agent work.
func (b box) snap() string {
	b.t.Helper()
	tree, err := b.Repo().Snapshot(".claude")
	b.ok(err)
	return tree
}

func (b box) change(base string) Change {
	return Change{Base: base, Exclude: []string{".claude"}, Message: "feat: a chunk\n\nwith a body\n"}
}

func (b box) commitSince(base string) string {
	b.t.Helper()
	hash, err := b.Commit(context.Background(), b.change(base))
	b.ok(err)
	if head := b.git("rev-parse", "HEAD"); head != hash {
		b.t.Fatalf("HEAD is %s, not %s", head, hash)
	}
	b.clean()
	return hash
}

// clean checks that nothing of ours is left behind.
func (b box) clean() {
	b.t.Helper()
	left, err := filepath.Glob(filepath.Join(b.root.GitDir, "warp-*"))
	b.ok(err)
	if len(left) > 0 {
		b.t.Errorf("left behind: %q", left)
	}
}

// changed lists what a commit changed, as status and path.
func (b box) changed(commit string) []string {
	b.t.Helper()
	var list []string
	f := strings.Split(strings.TrimSuffix(b.git("diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-status", commit), "\x00"), "\x00")
	for i := 0; i+1 < len(f); i += 2 {
		list = append(list, f[i]+" "+f[i+1])
	}
	slices.Sort(list)
	return list
}

func (b box) wantChanged(commit string, want ...string) {
	b.t.Helper()
	slices.Sort(want)
	if got := b.changed(commit); !slices.Equal(got, want) {
		b.t.Errorf("the commit has %q, want %q", got, want)
	}
}

// status is the user's view, without spaces lost.
func (b box) wantStatus(want ...string) {
	b.t.Helper()
	out := strings.TrimSuffix(b.git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"), "\x00")
	got := strings.Split(out, "\x00")
	if out == "" {
		got = nil
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.t.Errorf("status %q, want %q", got, want)
	}
}

// wantFile checks a file's content in the work tree.
func (b box) wantFile(name, want string) {
	b.t.Helper()
	got, err := os.ReadFile(b.path(name))
	if err != nil || string(got) != want {
		b.t.Errorf("%s is %q, %v; want %q", name, got, err, want)
	}
}

// wantBlob checks a file's content in a commit or, as «:path», in the index.
func (b box) wantBlob(spec, want string) {
	b.t.Helper()
	got, err := b.try("cat-file", "blob", spec)
	if err != nil || got != want {
		b.t.Errorf("%s is %q, %v; want %q", spec, got, err, want)
	}
}

func wantAs[T error](t *testing.T, err error) T {
	t.Helper()
	var e T
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a %T", err, e)
	}
	return e
}
