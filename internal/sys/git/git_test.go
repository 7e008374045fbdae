package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	b := newBox(t)
	b.write("sub/f", "1")
	for _, dir := range []string{b.Dir, b.path("sub")} {
		r, err := Open(dir)
		if err != nil || r.Dir != dir {
			t.Errorf("%s: %+v, %v", dir, r, err)
		}
		if top, err := r.Top(); err != nil || top != b.Dir {
			t.Errorf("top of %s: %q, %v", dir, top, err)
		}
	}
	bare := b.in(realTemp(t))
	bare.git("init", "-q", "--bare")
	for _, dir := range []string{t.TempDir(), bare.Dir, b.path(".git")} {
		if _, err := Open(dir); !errors.Is(err, ErrNotRepo) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := Open(b.path("missing")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoGit) {
		t.Errorf("missing folder: %v", err)
	}
}

func TestOpenWithoutGit(t *testing.T) {
	b := newBox(t)
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(b.Dir); !errors.Is(err, ErrNoGit) {
		t.Errorf("got %v", err)
	}
}

func TestDirs(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("sub/deep/f", "1")
	b.commit()
	linked := filepath.Join(realTemp(t), "linked")
	b.git("worktree", "add", "-q", linked)
	alias := filepath.Join(t.TempDir(), "alias")
	b.ok(os.Symlink(b.path("sub/deep"), alias))
	for _, c := range []struct{ dir, top, git string }{
		{b.Dir, b.Dir, b.path(".git")},
		{b.path("sub/deep"), b.Dir, b.path(".git")},
		{alias, b.Dir, b.path(".git")},
		{linked, linked, b.path(".git/worktrees/linked")},
	} {
		r := Repo{Dir: c.dir}
		top, err1 := r.Top()
		git, err2 := r.GitDir()
		common, err3 := r.CommonDir()
		if err := errors.Join(err1, err2, err3); err != nil || top != c.top || git != c.git || common != b.path(".git") {
			t.Errorf("%s: %s, %s, %s, %v", c.dir, top, git, common, err)
		}
	}
}

func TestOddFolderNames(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	dir := b.path("-a b\n c ")
	b.ok(os.Mkdir(dir, 0o755))
	n := b.in(dir)
	n.git("init", "-q")
	if top, err := n.Top(); err != nil || top != dir {
		t.Errorf("got %q, %v", top, err)
	}
}

func TestCallersVariablesDoNotMislead(t *testing.T) {
	other := newBox(t)
	other.write("other", "1")
	other.commit()
	b := newBox(t)
	b.write("f", "1")
	head := b.commit()
	t.Setenv("GIT_DIR", other.path(".git"))
	t.Setenv("GIT_WORK_TREE", other.Dir)
	t.Setenv("GIT_INDEX_FILE", other.path(".git/index"))
	t.Setenv("GIT_LITERAL_PATHSPECS", "1")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "merge.ff")
	t.Setenv("GIT_CONFIG_VALUE_0", "false")
	if got, err := b.Head(); err != nil || got != head {
		t.Errorf("head: %q, %v; want %q", got, err, head)
	}
	b.holds(b.snap(), "f=1")
	if s, err := b.MergeStrategy(); err != nil || s != "ff-only" {
		t.Errorf("strategy: %q, %v", s, err)
	}
}

func TestEnviron(t *testing.T) {
	got := environ([]string{"PATH=p", "LC_ALL=de", "GIT_DIR=x", "git_dir=x", "GIT_CONFIG_GLOBAL=x", "GIT_EXEC_PATH=e", "A=b=c"})
	want := []string{"PATH=p", "GIT_EXEC_PATH=e", "A=b=c", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + filepath.Join(os.DevNull, "none")}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestFailureSaysWhatWhereAndWhy(t *testing.T) {
	b := newBox(t)
	b.write(".git/config", "[broken")
	_, err := b.Top()
	if f := (*Failure)(nil); !errors.As(err, &f) || f.Exit != 128 {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"rev-parse", b.Dir, "128", "config"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %q", part, err)
		}
	}
	if _, err := Open(b.Dir); errors.Is(err, ErrNotRepo) {
		t.Errorf("a broken repository is one: %v", err)
	}
}
