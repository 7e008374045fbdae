package git

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

const long = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n"

func TestChanges(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("keep", "k")
	b.write("change", "1")
	b.write("delete", "d")
	b.write("old name", long)
	b.write("type", "a file")
	b.write("dir/inner", "1")
	from := b.snap()
	b.write("change", "2")
	b.ok(os.Remove(b.path("delete")))
	b.ok(os.Rename(b.path("old name"), b.path("new\nname")))
	b.write("new\nname", long+"eleven\n")
	b.ok(os.Remove(b.path("type")))
	b.ok(os.Symlink("keep", b.path("type")))
	b.write("dir/inner", "2")
	b.write("-add", "a")
	to := b.snap()
	got, err := b.in(b.path("dir")).Trees().Changes(from, to)
	b.ok(err)
	want := []Change{
		{'A', "", "-add"}, {'M', "", "change"}, {'D', "", "delete"}, {'M', "", "dir/inner"}, {'R', "old name", "new\nname"}, {'T', "", "type"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if same, err := b.Trees().Changes(to, to); err != nil || len(same) != 0 {
		t.Errorf("no change: %+v, %v", same, err)
	}
}

func TestChangesTakeAlsoCommits(t *testing.T) {
	b := newBox(t)
	head := b.commit()
	b.write("f", "1")
	got, err := b.Trees().Changes(head, b.snap())
	if err != nil || !slices.Equal(got, []Change{{'A', "", "f"}}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestChangesRefuse(t *testing.T) {
	b := newBox(t)
	tree := b.snap()
	for _, bad := range []string{"", "HEAD", "--output=x", tree[:10], tree + "\n", strings.Repeat("0", 40)} {
		if got, err := b.Trees().Changes(tree, bad); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func TestParseDiffOfATornAnswer(t *testing.T) {
	for _, f := range [][]string{{":1 2 3 4 M"}, {":1 2 3 4 R100", "a"}, {"", "a"}, {":1 2 3 4", "a"}} {
		if got, err := parseDiff(f); !errors.Is(err, errTorn) {
			t.Errorf("%q: %+v, %v", f, got, err)
		}
	}
}

func TestContent(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	binary := "\x00\xff\r\n" + strings.Repeat("\x80", 200_000)
	b.write("a/binary", binary)
	b.write("empty", "")
	names := []string{"-dash", ":colon", ":(top)x", "a b\nc", "*", "dot."}
	for _, n := range names {
		b.write(n, "in "+n)
	}
	b.ok(os.Symlink("a/binary", b.path("link")))
	tree := b.snap()
	b.write("a/binary", "changed since")
	r := b.in(b.path("a"))
	check := func(path, want string) {
		t.Helper()
		if got, err := r.Trees().Content(tree, path, 1<<20); err != nil || string(got) != want {
			t.Errorf("%q: %d bytes, %v; want %d", path, len(got), err, len(want))
		}
	}
	check("a/binary", binary)
	check("empty", "")
	check("link", "a/binary")
	for _, n := range names {
		check(n, "in "+n)
	}
	size := int64(len(binary))
	if got, err := r.Trees().Content(tree, "a/binary", size); err != nil || int64(len(got)) != size {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	if _, err := r.Trees().Content(tree, "a/binary", size-1); !errors.Is(err, errTooLarge) {
		t.Errorf("beyond the limit: %v", err)
	}
	for _, p := range []string{"", "binary", "none", "a/none", "../a/binary", "./empty", "a/binary/x", "em*", "a/", "/empty", "a\x00b"} {
		if got, err := r.Trees().Content(tree, p, 1<<20); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %q, %v", p, got, err)
		}
	}
	if _, err := r.Trees().Content(tree, "a", 1<<20); !errors.Is(err, ErrNotFile) {
		t.Errorf("folder: %v", err)
	}
	if _, err := r.Trees().Content("HEAD", "a", 1<<20); err == nil {
		t.Error("HEAD was taken for a tree")
	}
}

func TestReplacementsDoNotDeceive(t *testing.T) {
	b := newBox(t)
	b.write("f", "true")
	tree := b.snap()
	b.write("f", "lie")
	b.git("add", "f")
	b.git("replace", b.git("rev-parse", tree+":f"), b.git("rev-parse", ":f"))
	if got, err := b.Trees().Content(tree, "f", 100); err != nil || string(got) != "true" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestEmptyTreeIsWhereEverythingBegins(t *testing.T) {
	b := newBox(t)
	b.write("a", "x")
	empty, err := b.Trees().Empty()
	b.ok(err)
	changes, err := b.Trees().Changes(empty, b.snap())
	b.ok(err)
	if len(changes) != 1 || changes[0] != (Change{Status: 'A', Path: "a"}) {
		t.Errorf("got %v", changes)
	}
}

// Of no paths nothing is taken: a person's files were committed by a graft of none.
func TestGraft(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	b.write("mine", "1")
	b.write("gone", "1")
	tree := b.snap()
	b.write("mine", "2")
	b.write("new", "2")
	b.ok(os.Remove(b.path("gone")))
	other := b.snap()
	for paths, want := range map[string][]string{"": {"gone=1", "mine=1"}, "new": {"gone=1", "mine=1", "new=2"}, "gone": {"mine=1"}, "mine gone new nothing": {"mine=2", "new=2"}} {
		have, err := b.Trees().Graft(t.Context(), tree, other, strings.Fields(paths))
		b.ok(err)
		if files := b.files(have); !slices.Equal(files, want) {
			t.Errorf("with %q it has %q", paths, files)
		}
	}
	if have, err := b.Trees().Graft(t.Context(), tree, other, nil); err != nil || have != tree {
		t.Errorf("with nothing it is %s, not %s: %v", have, tree, err)
	}
}
