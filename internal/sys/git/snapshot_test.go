package git

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestSnapshotIsTheWorkTree(t *testing.T) {
	b := newBox(t)
	b.holds(b.snap())
	b.write("f", "1")
	b.write(".gitignore", "*.o\n")
	b.write("x.o", "ignored")
	b.holds(b.snap(), "f=1", ".gitignore=*.o\n") // unborn, no index
	b.git("add", "f")
	b.write("f", "2")
	b.holds(b.snap(), "f=2", ".gitignore=*.o\n") // unborn, an index
	b.commit()
	b.write("f", "3")
	b.write("gone", "1")
	b.git("add", "gone")
	b.ok(os.Remove(b.path("gone")))
	b.write("new/deep/file", "n")
	b.holds(b.snap(), "f=3", ".gitignore=*.o\n", "new/deep/file=n")
	if got := b.git("status", "--porcelain"); got != "M f\nAD gone\n?? new/" {
		t.Errorf("the user's index has changed: %q", got)
	}
}

func TestSnapshotOfTheSameIsTheSame(t *testing.T) {
	b := newBox(t)
	b.write("f", "1")
	b.write("dir/g", "2")
	first := b.snap()
	b.git("add", "f")
	if second := b.snap(); second != first {
		t.Errorf("%s, then %s", first, second)
	}
	b.commit()
	if want := b.git("rev-parse", "HEAD^{tree}"); first != want {
		t.Errorf("%s, but git makes %s", first, want)
	}
}

func TestSnapshotExcludes(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write(".claude/settings.json", "tracked")
	b.write(".claude.md", "stays")
	b.write("sub/.claude/x", "elsewhere")
	b.commit()
	b.write(".claude/log", "untracked")
	b.write("odd*[a]/x", "1")
	b.write("oddly/x", "2")
	b.holds(b.snap(".claude", "odd*[a]", "none"), ".claude.md=stays", "sub/.claude/x=elsewhere", "oddly/x=2")
	b.holds(b.in(b.path("sub")).snap(".claude", "../oddly/", "../odd*[a]"),
		".claude/settings.json=tracked", ".claude/log=untracked", ".claude.md=stays")
	// Git ends with 1 over an exclude that is ignored too.
	b.write(".gitignore", ".claude\n")
	b.holds(b.snap(".claude", "odd*[a]", "oddly"), ".gitignore=.claude\n", ".claude.md=stays", "sub/.claude/x=elsewhere")
	for _, bad := range []string{"", ".", "..", "../x", "/etc"} {
		if tree, err := b.Snapshot(bad); err == nil {
			t.Errorf("%q: %s", bad, tree)
		}
	}
}

func TestSnapshotExcludeBehindASymbolicLink(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("real/x", "1")
	b.ok(os.Symlink("real", b.path("link")))
	b.holds(b.snap("link/x"), "real/x=1", "link=real")
	b.commit()
	b.holds(b.snap("link/x"), "real/x=1", "link=real")
}

func TestSnapshotInAConflict(t *testing.T) {
	b := newBox(t)
	b.write("f", "base\n")
	b.write("deleted by us", "base\n")
	b.commit()
	b.git("checkout", "-q", "-b", "other")
	b.write("f", "theirs\n")
	b.write("deleted by us", "theirs\n")
	b.write(".claude/c", "theirs\n")
	b.commit()
	b.git("checkout", "-q", "main")
	b.write("f", "ours\n")
	b.write(".claude/c", "ours\n")
	b.ok(os.Remove(b.path("deleted by us")))
	b.commit()
	if out, err := b.try("merge", "other"); err == nil {
		t.Fatalf("no conflict: %s", out)
	}
	b.write("f", "half resolved\n")
	b.holds(b.snap(".claude"), "f=half resolved\n", "deleted by us=theirs\n")
	b.ok(os.Remove(b.path("deleted by us")))
	b.holds(b.snap(".claude"), "f=half resolved\n")
}

func TestSnapshotOfOddNames(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	names := []string{"a b", "-A", "--", "line\nend", "tab\t", "quote\"'", "*", ":(top)", "ü", "back\\slash", " "}
	if runtime.GOOS == "linux" {
		names = append(names, "not utf-8 \xff\xfe")
	}
	var want []string
	for _, n := range names {
		b.write(n, n)
		b.write("dir/"+n+"/f", "1")
		want = append(want, n+"="+n, "dir/"+n+"/f=1")
	}
	tree := b.snap()
	b.holds(tree, want...)
	empty := newBox(t).snap()
	got, err := b.Trees().Changes(empty, tree)
	if err == nil && len(got) != len(want) {
		t.Errorf("got %d changes, want %d", len(got), len(want))
	}
	b.ok(err)
	b.holds(b.snap(append(names, "dir")...))
}

func TestSnapshotFromASubfolderIsOfTheWhole(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("top", "1")
	b.write("sub/f", "2")
	b.holds(b.in(b.path("sub")).snap(), "top=1", "sub/f=2")
	alias := filepath.Join(t.TempDir(), "alias")
	b.ok(os.Symlink(b.path("sub"), alias))
	b.holds(b.in(alias).snap("f"), "top=1")
}

func TestSnapshotInAWorktree(t *testing.T) {
	b := newBox(t)
	b.write("f", "1")
	b.commit()
	w := b.in(filepath.Join(realTemp(t), "w"))
	b.git("worktree", "add", "-q", w.Dir)
	w.write("g", "2")
	w.holds(w.snap(), "f=1", "g=2")
	b.holds(b.snap(), "f=1")
}

func TestSnapshotInASha256Repository(t *testing.T) {
	b := newBox(t, "--object-format=sha256")
	from := b.snap()
	b.write("f", "1")
	to := b.snap()
	if len(to) != 64 {
		t.Errorf("got %q", to)
	}
	got, err := b.Trees().Changes(from, to)
	if err != nil || len(got) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if c, err := b.Trees().Content(to, "f", 10); err != nil || string(c) != "1" {
		t.Errorf("got %q, %v", c, err)
	}
}
