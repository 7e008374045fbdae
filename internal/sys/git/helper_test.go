package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
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
	Repo
	t *testing.T
}

// newBox makes a repository on the branch main, away from the configuration of
// the person who runs the tests.
func newBox(t *testing.T, initArgs ...string) box {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	b := box{Repo{Dir: realTemp(t)}, t}
	b.git(slices.Concat([]string{"init", "-q", "-b", "main"}, initArgs)...)
	return b
}

// realTemp returns a folder under its true name, as git does.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// notOnWindows is for tests that need scripts, symbolic links, or file names that
// Windows does not have.
func notOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("not to be had on Windows")
	}
}

// try runs git as the user would.
func (b box) try(args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = b.Dir
	c.Env = append(environ(os.Environ()), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=c", "GIT_COMMITTER_EMAIL=c@example.org")
	out, err := c.CombinedOutput()
	return string(out), err
}

func (b box) git(args ...string) string {
	b.t.Helper()
	out, err := b.try(args...)
	if err != nil {
		b.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (b box) path(name string) string { return filepath.Join(b.Dir, filepath.FromSlash(name)) }

func (b box) write(name, content string) {
	b.t.Helper()
	b.ok(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.ok(os.WriteFile(b.path(name), []byte(content), 0o644))
}

// commit records the whole work tree.
func (b box) commit() string {
	b.t.Helper()
	b.git("add", "-A")
	b.git("commit", "-q", "--allow-empty", "-m", "m")
	return b.git("rev-parse", "HEAD")
}

// in is the same box seen from another folder.
func (b box) in(dir string) box { return box{Repo{Dir: dir}, b.t} }

// nested makes a repository inside.
func (b box) nested(name string) box {
	b.t.Helper()
	n := b.in(b.path(name))
	b.ok(os.MkdirAll(n.Dir, 0o755))
	n.git("init", "-q", "-b", "main")
	return n
}

func (b box) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// snap takes a snapshot and checks that it has left no trace.
func (b box) snap(exclude ...string) string {
	b.t.Helper()
	tree, err := b.snapErr(exclude...)
	b.ok(err)
	return tree
}

func (b box) snapErr(exclude ...string) (string, error) {
	b.t.Helper()
	before := b.state()
	tree, err := b.Snapshot(exclude...)
	if after := b.state(); after != before {
		b.t.Errorf("the snapshot has changed the repository from\n%s\nto\n%s", before, after)
	}
	return tree, err
}

// state is what a snapshot must not change: the bytes of the index, the
// references, and which files are in git's folder, objects aside.
func (b box) state() string {
	b.t.Helper()
	dir, err := b.GitDir()
	b.ok(err)
	index, err := os.ReadFile(filepath.Join(dir, "index"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.t.Fatal(err)
	}
	s := fmt.Sprintf("index %x\n", sha256.Sum256(index))
	for _, pattern := range []string{"*", "refs/*/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		b.ok(err)
		s += strings.Join(names, "\n") + "\n"
	}
	return s
}

// files lists a tree as path=content, with gitlinks as path@.
func (b box) files(tree string) []string {
	b.t.Helper()
	var list []string
	out := b.git("ls-tree", "-r", "-z", "--full-tree", tree)
	for _, e := range Split([]byte(out)) {
		meta, name, _ := strings.Cut(e, "\t")
		f := strings.Fields(meta)
		if f[1] == "commit" {
			list = append(list, name+"@")
			continue
		}
		content, err := b.try("cat-file", "blob", f[2])
		b.ok(err)
		list = append(list, name+"="+content)
	}
	return list
}

// holds checks the files of a tree.
func (b box) holds(tree string, want ...string) {
	b.t.Helper()
	got := b.files(tree)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.t.Errorf("the tree holds\n%q, want\n%q", got, want)
	}
}
