package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// What is made without a process is what git makes.
func TestGraftIsAsGitDoesIt(t *testing.T) {
	notOnWindows(t)
	b, root := openedAs(t)
	_, asking, err := OpenRoot(b.Dir)
	b.ok(err)
	var trees []string
	for _, layout := range layouts {
		trees = append(trees, b.lay(layout))
	}
	here := 0
	for i, tree := range trees {
		for j, other := range trees {
			for k, paths := range [][]string{{"b", "a"}, {"a/b"}, {"a/b/c", "a/b/d"}, {"moved", "a/moved", "nothing/at/all"}, {"a/b/", "b"}, {"äöü ?"}} {
				have, ok := (treeReader{root}).graftAll(t.Context(), tree, other, paths)
				if !ok || (i+j+k)%3 != 0 { // each takes git four processes
					continue
				}
				here++
				want, err := asking.graft(t.Context(), tree, other, paths)
				if have != want || err != nil {
					t.Errorf("%q of %s in %s: %s, git says %s (%v)", paths, b.files(other), b.files(tree), b.files(have), want, err)
				}
			}
		}
	}
	if here < 40 {
		t.Errorf("only %d were made without a process", here)
	}
}

// A folder is taken whole, and it could hold what git would never let into an index.
func TestGraftTakesNoGitFolder(t *testing.T) {
	b, root := openedAs(t)
	b.write("a", "1")
	tree := b.snap()
	entries, err := b.Trees().Folder(tree, ".")
	b.ok(err)
	for _, name := range []string{".git", ".GIT", ".git.", ".git ", "git~1", "x\\..\\.git"} {
		bad, err := root.PutTree(t.Context(), []TreeEntry{{Path: name, Mode: "100644", Hash: entries[0].Hash}})
		b.ok(err)
		other, err := root.PutTree(t.Context(), []TreeEntry{{Path: "dir", Mode: "040000", Hash: bad}})
		b.ok(err)
		if made, ok := (treeReader{root}).graftAll(t.Context(), tree, other, []string{"dir"}); ok {
			t.Errorf("%s came along: %s", name, b.git("ls-tree", "-r", made))
		}
		if made, ok := (treeReader{root}).graftAll(t.Context(), tree, bad, []string{name}); ok {
			t.Errorf("%s was taken: %s", name, b.git("ls-tree", "-r", made))
		}
		if made, ok := (treeReader{root}).graftAll(t.Context(), other, tree, []string{"a"}); ok {
			t.Errorf("%s stayed: %s", name, b.git("ls-tree", "-r", made))
		}
	}
	link, err := root.PutTree(t.Context(), []TreeEntry{{Path: ".gitmodules", Mode: "120000", Hash: entries[0].Hash}})
	b.ok(err)
	if made, ok := (treeReader{root}).graftAll(t.Context(), tree, link, []string{".gitmodules"}); ok {
		t.Errorf("a link was taken: %s", b.git("ls-tree", "-r", made))
	}
}

func TestFilesAreAsGitListsThem(t *testing.T) {
	notOnWindows(t)
	b, root := openedAs(t)
	_, asking, err := OpenRoot(b.Dir)
	b.ok(err)
	for _, layout := range layouts {
		tree := b.lay(layout)
		for _, below := range [][]string{nil, {"a"}, {"a/b"}, {"a/b/c"}, {"b/c"}, {"ab"}, {"nothing"}, {"äöü ?"}} {
			have, err := root.Repo(b.Dir).Trees().Files(tree, below...)
			b.ok(err)
			want, err := asking.Repo(b.Dir).Trees().Files(tree, below...)
			b.ok(err)
			if !slices.Equal(have, want) {
				t.Errorf("%v below %q: %q, git says %q", layout, below, have, want)
			}
		}
	}
}

func TestPutIsWhatGitMakes(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		b, root := openedAs(t, "--object-format="+format)
		_, asking, err := OpenRoot(b.Dir)
		b.ok(err)
		tree, err := root.PutTree(t.Context(), nil)
		b.ok(err)
		for kind, text := range map[string]string{"blob": "hi\n", "commit": string(CommitText(tree, nil, "0", "a\n\nb")), "tree": ""} {
			var names []string
			for _, o := range []Root{root, asking, root} {
				name, err := o.Put(context.Background(), kind, []byte(text))
				b.ok(err)
				names = append(names, name)
				if is, err := o.Kind(t.Context(), name); err != nil || is != kind {
					t.Errorf("%s is a %q: %v", name, is, err)
				}
			}
			if got := b.git("cat-file", kind, names[0]); got != strings.TrimSpace(text) || names[0] != names[1] || names[0] != names[2] {
				t.Errorf("a %s is %q, as %s", kind, got, names)
			}
		}
		b.git("fsck", "--strict")
	}
}

func TestRefIsReadAsGitReadsIt(t *testing.T) {
	notOnWindows(t)
	b, root := openedAs(t)
	b.git("commit", "-q", "--allow-empty", "-m", "one")
	one := strings.TrimSpace(b.git("rev-parse", "HEAD"))
	b.git("branch", "packed")
	b.git("tag", "-a", "-m", "t", "annotated")
	b.git("tag", "light")
	b.git("pack-refs", "--all")
	b.git("commit", "-q", "--allow-empty", "-m", "two")
	b.git("symbolic-ref", "refs/heads/other", "refs/heads/packed")
	b.git("symbolic-ref", "refs/heads/nowhere", "refs/heads/none")
	b.git("update-ref", "refs/worktree/own", one)
	b.ok(os.WriteFile(b.path(".git/refs/heads/garbage"), []byte("garbage\n"), 0o600))
	b.ok(os.WriteFile(b.path(".git/refs/heads/missing"), []byte(strings.Repeat("12", 20)+"\n"), 0o600))
	b.git("branch", "emptied")
	b.git("branch", "linked")
	b.git("pack-refs", "--all")
	b.ok(os.WriteFile(b.path(".git/refs/heads/emptied"), nil, 0o600))
	b.ok(os.WriteFile(b.path(".git/refs/heads/x.lock"), []byte(one+"\n"), 0o600))
	b.git("branch", "-f", "target", one)
	b.ok(os.Symlink("refs/heads/target", b.path(".git/refs/heads/linked")))
	for _, name := range []string{"main", "packed", "annotated", "light", "refs/heads/main", "refs/heads/packed", "refs/tags/annotated", "refs/tags/light",
		"refs/heads/other", "refs/heads/nowhere", "refs/worktree/own", "refs/heads/garbage", "refs/heads/missing", "refs/heads/none", "refs/heads", "refs/heads/emptied", "refs/heads/linked", "refs/heads/x.lock", "refs/heads/./main", "refs/heads/main/"} {
		have, failed := root.Repo(b.Dir).Ref(name)
		want, err := b.ask(name)
		if have != want || errors.Is(failed, ErrNoRef) != errors.Is(err, ErrNoRef) || (failed == nil) != (err == nil) {
			t.Errorf("%s: %q, %v; git says %q, %v", name, have, failed, want, err)
		}
	}
}

// ask is Ref by git alone.
func (b box) ask(name string) (string, error) {
	sha, found, err := Repo{Dir: b.Dir}.maybe("rev-parse", "--verify", "-q", name+"^{}")
	if err == nil && !found {
		err = fmt.Errorf("%w", ErrNoRef)
	}
	return sha, err
}
