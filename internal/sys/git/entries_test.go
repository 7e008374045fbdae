package git

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

// What is read from the file is what git would answer, for each version of the file.
func TestIndexEntriesAreThoseOfGit(t *testing.T) {
	for name, c := range map[string]struct {
		initArgs []string
		set      func(b box)
		asked    bool // the file is not as expected, so that git is asked
	}{
		"empty":     {},
		"version 2": {set: func(b box) { b.git("update-index", "--assume-unchanged", "a") }},
		"version 3": {set: func(b box) { b.git("update-index", "--skip-worktree", "a", "deep/er/c") }},
		"version 4": {set: func(b box) { b.git("update-index", "--index-version", "4", "--skip-worktree", "deep/er/c") }},
		"both": {set: func(b box) {
			b.git("update-index", "--skip-worktree", "a")
			b.git("update-index", "--assume-unchanged", "a")
		}},
		"intended": {set: func(b box) { b.write("new", ""); b.git("add", "-N", "new") }},
		"a conflict": {set: func(b box) {
			b.git("checkout", "-q", "-b", "side")
			b.write("a", "side")
			b.commit()
			b.git("checkout", "-q", "main")
			b.write("a", "main")
			b.commit()
			_, _ = b.try("merge", "side")
		}},
		"sha256": {initArgs: []string{"--object-format=sha256"}, set: func(b box) { b.git("update-index", "--assume-unchanged", "deep/d") }},
		"a long name": {set: func(b box) {
			n := "l/" + string(bytes.Repeat([]byte("o/"), 2100)) + "ng"
			b.git("update-index", "--add", "--cacheinfo", "100644,"+b.git("rev-parse", ":a")+","+n)
		}},
		"a submodule": {set: func(b box) {
			b.git("update-index", "--add", "--cacheinfo", "160000,"+b.git("rev-parse", "HEAD")+",sub")
		}},
		"split":          {set: func(b box) { b.git("update-index", "--split-index") }, asked: true},
		"sparse folders": {set: func(b box) { b.git("sparse-checkout", "set", "--cone", "--sparse-index", "other") }, asked: true},
		"read in threads": {set: func(b box) {
			b.git("config", "index.threads", "2")
			b.git("config", "index.recordOffsetTable", "true")
			b.git("update-index", "--force-write-index")
		}, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, c.initArgs...)
			if c.set != nil {
				for _, f := range []string{"a", "b", "deep/d", "deep/er/c", "other/f"} {
					b.write(f, "1")
				}
				b.commit()
				c.set(b)
			}
			root, err := b.Root()
			b.ok(err)
			text, err := os.ReadFile(b.path(".git/index"))
			if err == nil {
				if _, ok := parseIndex(text, len(root.Zero)/2); ok == c.asked {
					t.Errorf("the file is understood: %v", ok)
				}
			}
			got, err := root.IndexEntries(t.Context())
			b.ok(err)
			want, err := askEntries(t.Context(), b.Dir, nil)
			b.ok(err)
			if !slices.Equal(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

// A file that was cut, or that git would refuse, is never read as another list: git is asked.
func TestParseIndexRefusesWhatIsTorn(t *testing.T) {
	b := newBox(t)
	for _, f := range []string{"a", "b", "deep/er/c"} {
		b.write(f, "1")
	}
	b.commit()
	text, err := os.ReadFile(b.path(".git/index"))
	b.ok(err)
	whole, ok := parseIndex(text, 20)
	if !ok || len(whole) != 3 {
		t.Fatalf("%+v, %v", whole, ok)
	}
	for n := range text { // between two parts, git reads it as well
		if list, ok := parseIndex(text[:n], 20); ok && !slices.Equal(list, whole) {
			t.Fatalf("cut at %d: %+v", n, list)
		}
	}
	if _, ok := parseIndex(text, 32); ok {
		t.Error("taken for one of another hash")
	}
	for what, change := range map[string]func(text []byte){
		"order":     func(text []byte) { text[12+62] = 'z' },
		"length":    func(text []byte) { text[12+61] = 2 },
		"version":   func(text []byte) { text[7] = 5 },
		"count":     func(text []byte) { text[11] = 2 },
		"extended":  func(text []byte) { text[12+60] |= 0x40 },
		"extension": func(text []byte) { copy(text[bytes.Index(text, []byte("TREE")):], "link") },
	} {
		changed := bytes.Clone(text)
		change(changed)
		if list, ok := parseIndex(changed, 20); ok {
			t.Errorf("%s: %+v", what, list)
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"+string(make([]byte, 20))), 20)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+string(make([]byte, 100))), 20)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size != 20 && size != 32 {
			return
		}
		list, ok := parseIndex(text, size)
		for i, e := range list {
			if ok && (e.Path == "" || i > 0 && e.Path < list[i-1].Path) {
				t.Errorf("%+v", list)
			}
		}
	})
}
