package tree_test

import (
	"slices"
	"testing"

	"warp/internal/core/docs/tree"
)

func sample() *tree.Tree {
	files := map[string]string{
		".gitignore": "# built\n/bin/\n*.log\n!keep.log\ncache\n/gen/**\n", "README.md": "x", "a/b/c.go": "", "a/b/d.go": "", "a/e.md": "", "docs/guide.md": "", "other/README.md": "", "mod/x": "",
	}
	var names []string
	for n := range files {
		names = append(names, n)
	}
	names = append(names, "README.md")
	t := tree.New(names, func(n string) (string, bool) { s, ok := files[n]; return s, ok })
	t.Moved = map[string]string{"old/e.md": "mid/e.md", "mid/e.md": "a/e.md", "round": "robin", "robin": "round", "lost": "nowhere"}
	t.Gone = map[string]bool{"gone.txt": true}
	t.Foreign = []string{"mod"}
	return t
}

func TestWhatIsThere(t *testing.T) {
	r := sample()
	for name, want := range map[string][2]bool{"a": {false, true}, "a/b/": {false, true}, "./a/e.md": {true, false}, "/README.md": {true, false}, "": {false, true}, ".": {false, true}, "a/x": {false, false}} {
		if r.IsFile(name) != want[0] || r.IsDir(name) != want[1] || r.Has(name) != (want[0] || want[1]) {
			t.Errorf("%q: file %v, folder %v", name, r.IsFile(name), r.IsDir(name))
		}
	}
	if got := r.Entries("a"); len(got) != 2 || !slices.Contains(got, tree.Entry{Name: "b", Dir: true}) || !slices.Contains(got, tree.Entry{Name: "e.md"}) {
		t.Errorf("%v", got)
	}
	if got := r.Dirs("b"); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("%v", got)
	}
	if got := r.Named("README.md"); len(got) != 2 || len(r.Files()) != 8 {
		t.Errorf("%v of %v", got, r.Files())
	}
	for range 2 {
		if text, ok := r.Read("README.md"); !ok || text != "x" {
			t.Errorf("%q", text)
		}
	}
}

func TestWhatBecameOfAPath(t *testing.T) {
	r := sample()
	for name, want := range map[string]string{"old/e.md": "a/e.md", "mid/e.md": "a/e.md", "x/guide.md": "docs/guide.md", "x/README.md": "", "round": "", "lost": "", "x/c": ""} {
		if got, ok := r.Successor(name); got != want || ok != (want != "") {
			t.Errorf("%s went to %q", name, got)
		}
	}
	for name, want := range map[string]bool{"gone.txt": true, "old/e.md": true, "README.md": false} {
		if r.Was(name) != want {
			t.Errorf("%s: %v", name, r.Was(name))
		}
	}
}

func TestWhatMayBeMade(t *testing.T) {
	r := sample()
	for name, want := range map[string]bool{
		"bin/x": true, "sub/bin/x": false, "x.log": true, "a/y.log": true, "a/cache/z": true, "gen/deep/x": true, "dist/x": true, "node_modules/x": true, "mod/inner": true, "a/b/x.go": false, "README.md": false,
	} {
		if r.Made(name) != want {
			t.Errorf("%s: %v", name, r.Made(name))
		}
	}
}
