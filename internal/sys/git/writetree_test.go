package git

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A tree that is made without a process is the one that git makes, and all of it is there.
func TestWriteTreeIsAsGitDoesIt(t *testing.T) {
	notOnWindows(t)
	for _, format := range []string{"sha1", "sha256"} {
		b, root := openedAs(t, "--object-format="+format)
		for _, layout := range layouts[1:] { // without files there is no index yet
			b.lay(layout)
			s, err := root.Stage(t.Context())
			b.ok(err)
			tree, ok := root.writeTree(t.Context(), s)
			want, err := Repo{Dir: b.Dir}.Must(t.Context(), Call{Args: []string{"write-tree"}, Env: s.Env})
			b.ok(err)
			s.Remove()
			if !ok || tree != strings.TrimSpace(string(want)) {
				t.Errorf("%v: %s %t, git says %s", layout, tree, ok, want)
			}
		}
	}
}

func TestWriteTreeLeavesTheRestToGit(t *testing.T) {
	b, root := openedAs(t)
	for i := range mostWritten + 1 {
		b.write(fmt.Sprintf("%d/f", i), fmt.Sprint(i))
	}
	s, err := root.Stage(t.Context())
	b.ok(err)
	defer s.Remove()
	if _, ok := root.writeTree(t.Context(), s); ok {
		t.Error("many trees were written")
	}
	tree, err := root.Snapshot()
	b.ok(err)
	if again, ok := root.writeTree(t.Context(), s); !ok || again != tree {
		t.Errorf("those that are there now are not seen: %s %t, want %s", again, ok, tree)
	}
	b.git("update-index", "--add", "--cacheinfo", "100644,"+b.git("hash-object", "-w", "0/f")+",intended")
	b.git("rm", "-q", "--cached", "intended")
	b.write("intended", "")
	b.git("add", "-N", "intended")
	own := Stage{Dir: filepath.Join(b.Dir, ".git")}
	if _, ok := root.writeTree(t.Context(), own); ok {
		t.Error("a file that is only intended is in the tree")
	}
}

// An agent can delete objects; a snapshot is whole all the same.
func TestASnapshotWritesTreesThatAreGone(t *testing.T) {
	b, root := openedAs(t)
	b.write("a/b/f", "1")
	tree, err := root.Snapshot()
	b.ok(err)
	for _, name := range []string{tree, b.git("rev-parse", tree+":a"), b.git("rev-parse", tree+":a/b")} {
		b.ok(os.Remove(filepath.Join(root.Common(), "objects", name[:2], name[2:])))
	}
	again, err := root.Snapshot()
	b.ok(err)
	if again != tree || !strings.HasSuffix(b.git("ls-tree", "-r", tree), "a/b/f") {
		t.Errorf("it is %s, was %s", again, tree)
	}
}
