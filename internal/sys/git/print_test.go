package git

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"
)

func TestPrints(t *testing.T) {
	b := newBox(t)
	b.write("a", "1")
	b.write("sub/b", "1")
	b.write("ü x", "1")
	b.commit()
	root, err := Repo{Dir: b.path("sub")}.Root()
	b.ok(err)
	p := NewPrinter(root, ".claude")
	look := func() Print {
		t.Helper()
		now, err := p.Print(context.Background())
		b.ok(err)
		return now
	}
	was := look()
	step := func(name string, moved bool, paths ...string) {
		t.Helper()
		now := look()
		if got, m := now.Since(was); !slices.Equal(got, paths) || m != moved {
			t.Errorf("%s: got %q, moved %v", name, got, m)
		}
		was = now
	}
	step("nothing", false)
	b.write(".claude/state", "1")
	step("only what is excluded", false)
	b.write("a", "2")
	b.write("sub/new", "1")
	step("changed and new", false, "a", "sub/new")
	b.write("a", "3")
	step("changed again", false, "a")
	b.git("add", "a")
	step("only staged", false)
	b.ok(os.Chtimes(b.path("a"), was1970, was1970))
	step("only touched", false)
	b.write("a", "1")
	step("as it was committed", false, "a")
	b.ok(os.Remove(b.path("ü x")))
	step("deleted", false, "ü x")
	b.commit()
	if _, moved := look().Since(was); !moved {
		t.Error("a commit is no move")
	}
	// Another process knows nothing of what this one has read.
	q := NewPrinter(root, ".claude")
	b.write("a", "4")
	mine := look()
	theirs, err := q.Print(context.Background())
	b.ok(err)
	if paths, moved := theirs.Since(mine); len(paths) > 0 || moved {
		t.Errorf("two prints of the same differ in %q", paths)
	}
}

var was1970 = time.Unix(0, 0)

func TestPrintOfATornAnswer(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	root, err := b.Root()
	b.ok(err)
	b.write("bin/git", "#!/bin/sh\nexit 0\n")
	b.ok(os.Chmod(b.path("bin/git"), 0o755))
	t.Setenv("PATH", b.path("bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if got, err := NewPrinter(root).Print(t.Context()); !errors.Is(err, errTorn) {
		t.Errorf("%+v, %v", got, err)
	}
}
