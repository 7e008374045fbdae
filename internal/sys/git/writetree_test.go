package git

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
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
			tree, ok := root.WriteTree(s)
			want, err := Repo{Dir: b.Dir}.Must(t.Context(), Call{Args: []string{"write-tree"}, Env: s.Env})
			b.ok(err)
			s.Remove()
			if isPlain := layout["äöü ?"] == ""; ok != isPlain || ok && tree != strings.TrimSpace(string(want)) {
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
	if _, ok := root.WriteTree(s); ok {
		t.Error("many trees were written")
	}
	tree, err := root.Snapshot()
	b.ok(err)
	if again, ok := root.WriteTree(s); !ok || again != tree {
		t.Errorf("those that are there now are not seen: %s %t, want %s", again, ok, tree)
	}
	b.write("intended", "")
	b.git("add", "-N", "intended")
	own := Stage{Dir: filepath.Join(b.Dir, ".git")}
	if _, ok := root.WriteTree(own); ok {
		t.Error("a file that is only intended is in the tree")
	}
}

// What a snapshot returns is not collected before it is kept, however old its trees are.
func TestASnapshotMakesOldTreesNew(t *testing.T) {
	b, root := openedAs(t)
	b.write("d/f", "1")
	tree, err := root.Snapshot()
	b.ok(err)
	old := time.Now().AddDate(0, -2, 0)
	for _, name := range []string{tree, b.git("rev-parse", tree+":d"), b.git("rev-parse", tree+":d/f")} {
		b.ok(os.Chtimes(filepath.Join(root.Common(), "objects", name[:2], name[2:]), old, old))
	}
	if again, err := root.Snapshot(); err != nil || again != tree {
		t.Fatal(again, err)
	}
	b.git("prune", "--expire=2.weeks.ago")
	if got := b.git("ls-tree", "-r", tree); !strings.HasSuffix(got, "d/f") {
		t.Errorf("it has %q", got)
	}
}

// An agent can write the index; what git would not make a tree of is none here.
func TestWriteTreeTakesNoForgedIndex(t *testing.T) {
	b, root := openedAs(t)
	b.write("f", "1")
	b.git("add", "f")
	file := filepath.Join(root.GitDir, "index")
	index, err := os.ReadFile(file)
	b.ok(err)
	const entry, hash, stat = 12, 20, 40
	forge := func(what string, change func(text []byte)) {
		text := slices.Clone(index)
		change(text)
		sum := sha1.Sum(text[:len(text)-hash])
		b.ok(os.WriteFile(file, append(text[:len(text)-hash], sum[:]...), 0o600))
		if tree, ok := root.WriteTree(Stage{Dir: root.GitDir}); ok {
			t.Errorf("with %s it is %s", what, tree)
		}
	}
	forge("no hash", func(text []byte) { clear(text[entry+stat : entry+stat+hash]) })
	forge("no name", func(text []byte) { text[entry+stat+hash+2] = '/' })
	forge("a name of a folder", func(text []byte) { text[entry+stat+hash+2] = '.' })
	index = nil
	for _, name := range []string{"a", "a-b", "a/b"} { // git does not see this one
		one := make([]byte, stat+hash+2, 72)
		binary.BigEndian.PutUint32(one[24:], 0o100644)
		one[stat] = 1
		one[stat+hash+1] = byte(len(name))
		one = append(one, name...)
		index = append(index, append(one, make([]byte, 8-len(one)%8)...)...)
	}
	index = slices.Concat([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x03"), index, make([]byte, hash))
	forge("a file that is a folder", func([]byte) {})
}
