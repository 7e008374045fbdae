package git

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

func TestSnapshotWithRepositoriesInside(t *testing.T) {
	b := newBox(t)
	b.write("f", "1")
	full := b.nested("full")
	full.write("x", "1")
	commit := full.commit()
	full.write("y", "not committed")
	b.nested("unborn").write("x", "1")
	b.write("broken/.git", "gitdir: nowhere\n")
	b.write("broken/x", "1")
	tree := b.snap()
	b.holds(tree, "f=1", "full@", "broken/x=1")
	if got := b.git("rev-parse", tree+":full"); got != commit {
		t.Errorf("the inner repository is at %s, want %s", got, commit)
	}
	if _, err := b.Trees().Content(tree, "full", 100); !errors.Is(err, ErrNotFile) {
		t.Errorf("content of an inner repository: %v", err)
	}
	if _, err := b.Trees().Content(tree, "full/x", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("content in an inner repository: %v", err)
	}
}

func TestSnapshotWithSubmodules(t *testing.T) {
	lib := newBox(t)
	lib.write("x", "1")
	lib.commit()
	b := newBox(t)
	b.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, "lib")
	b.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, "idle")
	b.commit()
	b.git("submodule", "--quiet", "deinit", "-f", "idle")
	modules, err := os.ReadFile(b.path(".gitmodules"))
	b.ok(err)
	// It must not be possible to hide a change from a snapshot.
	b.write(".gitmodules", string(modules)+"[submodule \"lib\"]\n\tignore = all\n")
	from := b.snap()
	sub := b.in(b.path("lib"))
	sub.write("x", "2")
	b.holds(b.snap(), ".gitmodules="+string(modules)+"[submodule \"lib\"]\n\tignore = all\n", "lib@", "idle@")
	sub.commit()
	got, err := b.Trees().Changes(from, b.snap())
	if err != nil || len(got) != 1 || got[0] != (Change{'M', "", "lib"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	// A snapshot from within a submodule is one of the submodule.
	sub.holds(sub.snap(), "x=2")
}
