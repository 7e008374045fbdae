package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A file that changes in the moment in which the index was written, without
// changing its size, looks unchanged to a reader that compares times only.
func TestSnapshotSeesAChangeInTheMomentOfTheIndex(t *testing.T) {
	b := newBox(t)
	b.write("f", "1")
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	b.ok(os.Chtimes(b.path("f"), at, at))
	b.git("-c", "core.trustctime=false", "-c", "core.checkStat=minimal", "add", "f")
	b.ok(os.Chtimes(b.path(".git/index"), at, at))
	b.git("config", "core.trustctime", "false")
	b.git("config", "core.checkStat", "minimal")
	b.write("f", "2")
	b.ok(os.Chtimes(b.path("f"), at, at))
	b.holds(b.snap(), "f=2")
}

func TestSnapshotLooksAtWhatTheIndexHides(t *testing.T) {
	b := newBox(t)
	for _, f := range []string{"assumed", "skipped", "both", "skipped and gone"} {
		b.write(f, "1")
	}
	b.commit()
	b.git("update-index", "--assume-unchanged", "assumed", "both")
	b.git("update-index", "--skip-worktree", "skipped", "both", "skipped and gone")
	for _, f := range []string{"assumed", "skipped", "both"} {
		b.write(f, "2")
	}
	b.ok(os.Remove(b.path("skipped and gone")))
	b.holds(b.snap(), "assumed=2", "skipped=2", "both=2", "skipped and gone=1")
}

func TestSnapshotInASparseCheckout(t *testing.T) {
	b := newBox(t)
	b.write("in/a", "1")
	b.write("out/b", "1")
	b.write("out/c", "1")
	b.write("out/.claude/d", "1")
	b.commit()
	b.git("sparse-checkout", "set", "in")
	b.holds(b.snap("out/.claude"), "in/a=1", "out/b=1", "out/c=1")
	b.write("out/b", "2")
	b.write("out/new", "1")
	b.holds(b.snap("out/.claude"), "in/a=1", "out/b=2", "out/c=1", "out/new=1")
}

func TestSnapshotRunsNothingOfTheRepository(t *testing.T) {
	notOnWindows(t)
	b := newBox(t)
	sub := b.nested("sub")
	sub.write("s", "1")
	sub.commit()
	b.commit()
	mark := filepath.Join(t.TempDir(), "mark")
	trap := filepath.Join(t.TempDir(), "trap")
	b.ok(os.WriteFile(trap, []byte("#!/bin/sh\ntouch '"+mark+"'\n"), 0o755))
	for _, r := range []box{b, sub} {
		r.git("config", "core.fsmonitor", trap)
		b.ok(os.Symlink(trap, filepath.Join(r.Dir, ".git/hooks/post-index-change")))
	}
	sub.write("s", "2")
	b.write("f", "1")
	b.holds(b.snap(), "f=1", "sub@")
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program that the repository names was run")
	}
	// Were it not a trap, the test would show nothing.
	b.git("status")
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
}

func TestSnapshotRefusesNothingOverLineEnds(t *testing.T) {
	b := newBox(t)
	b.git("config", "core.autocrlf", "true")
	b.git("config", "core.safecrlf", "true")
	b.git("config", "core.splitIndex", "true")
	b.write("f", "a\nb\r\n")
	b.holds(b.snap(), "f=a\nb\n")
	b.git("-c", "core.safecrlf=false", "add", "f")
	b.write("g", strings.Repeat("x", 10))
	b.holds(b.snap(), "f=a\nb\n", "g=xxxxxxxxxx")
}

// Git is not run in a repository inside of this one, whose settings an agent may have
// written.
func TestSnapshotRunsNothingOfASubmodule(t *testing.T) {
	b := newBox(t)
	b.write("a", "1\n")
	b.git("add", "a")
	b.git("commit", "-q", "-m", "a")
	b.git("clone", "-q", ".", "sub")
	b.git("add", "sub")
	b.git("commit", "-q", "-m", "sub")
	ran := filepath.Join(t.TempDir(), "ran")
	b.git("-C", "sub", "config", "filter.x.clean", "touch "+ran+"; cat")
	b.git("-C", "sub", "config", "core.fsmonitor", "touch "+ran)
	b.write("sub/.gitattributes", "* filter=x\n")
	b.write("sub/a", "2\n")
	old := b.git("rev-parse", "HEAD:sub")
	tree, err := b.Snapshot()
	b.ok(err)
	root, err := b.Root()
	b.ok(err)
	_, err = NewPrinter(root).Print(t.Context())
	b.ok(err)
	if _, err := os.Stat(ran); err == nil {
		t.Error("what the submodule's settings name was run")
	}
	if now := b.git("rev-parse", tree+":sub"); now != old {
		t.Errorf("the submodule is at %s, not %s", now, old)
	}
	b.git("-C", "sub", "-c", "core.fsmonitor=false", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "more")
	tree, err = b.Snapshot()
	b.ok(err)
	if now, want := b.git("rev-parse", tree+":sub"), b.git("-C", "sub", "rev-parse", "HEAD"); now != want {
		t.Errorf("the submodule is at %s, not %s", now, want)
	}

	// Git takes more modes for that of a submodule than it writes.
	text, err := os.ReadFile(b.path(".git/index"))
	b.ok(err)
	at := bytes.Index(text, []byte{0, 0, 0xe0, 0})
	text[at+3] = 1
	_ = os.Remove(ran) // the commit above ran it
	b.ok(os.WriteFile(b.path(".git/index"), text, 0o644))
	if _, err := b.Snapshot(); err == nil {
		t.Error("a mode that there is none of was taken for one")
	}
	if list, err := At(root.GitDir).Submodules(t.Context()); err == nil {
		t.Errorf("submodules: %q", list)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("what the submodule's settings name was run")
	}
}
