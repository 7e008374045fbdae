package faultfs

import (
	"os"
	"syscall"
	"testing"
)

func TestFoldersNeedTheirParentsSynced(t *testing.T) {
	f := New()
	must(t, f.MkdirAll("/p/q/r", 0o700))
	write(t, f, "/p/q/r/a", replace, "x", true)
	for _, step := range []string{"/p/q/r", "/p/q", "/p"} {
		must(t, f.SyncDir(step))
		holds(t, f.AfterPowerCut(DropAll))
	}
	must(t, f.SyncDir("/"))
	holds(t, f.AfterPowerCut(DropAll), "/p/q/r/a", "x")
}

func TestMoveBetweenFolders(t *testing.T) {
	fresh := func() *FS {
		f := New()
		f.WriteFile("/from/a", []byte("x"))
		f.WriteFile("/to/other", nil)
		must(t, f.Rename("/from/a", "/to/a"))
		return f
	}
	f := fresh()
	holds(t, f.AfterPowerCut(DropAll), "/from/a", "x", "/to/other", "")
	holds(t, f.AfterPowerCut(MetadataFirst), "/to/a", "x", "/to/other", "")

	f = fresh()
	must(t, f.SyncDir("/to"))
	after := f.AfterPowerCut(DropAll)
	holds(t, after, "/from/a", "x", "/to/a", "x", "/to/other", "")
	// Both names are the same file.
	write(t, after, "/from/a", extend, "y", false)
	holds(t, after, "/from/a", "xy", "/to/a", "xy", "/to/other", "")

	f = fresh()
	must(t, f.SyncDir("/from"))
	holds(t, f.AfterPowerCut(DropAll), "/to/other", "")
}

// A folder moved to and fro with unlucky syncs would be its own grandchild on
// the disk. It must not hang the cut, nor show up twice.
func TestFolderMovedInCircles(t *testing.T) {
	f := New()
	f.WriteFile("/a/x", []byte("x"))
	f.WriteFile("/b/y", []byte("y"))
	must(t, f.Rename("/a", "/b/a"))
	must(t, f.SyncDir("/b"))
	must(t, f.Rename("/b/a", "/a"))
	must(t, f.Rename("/b", "/a/b"))
	must(t, f.SyncDir("/a"))
	holds(t, f, "/a/x", "x", "/a/b/y", "y")
	holds(t, f.AfterPowerCut(DropAll), "/a/x", "x", "/a/b/y", "y")
	holds(t, f.Restart().AfterPowerCut(DropAll), "/a/x", "x", "/a/b/y", "y")
}

func TestRestartKeepsTheDifference(t *testing.T) {
	f := New()
	f.WriteFile("/d/a", []byte("old"))
	write(t, f, "/d/a", extend, "new", false)
	write(t, f, "/d/b", replace, "b", true)
	again := f.Restart()
	holds(t, again, "/d/a", "oldnew", "/d/b", "b")
	holds(t, again.AfterPowerCut(DropAll), "/d/a", "old")
	// A sync by the next process saves what the dead one wrote.
	o := open(t, again, "/d/a", os.O_RDWR)
	must(t, o.Sync())
	must(t, again.SyncDir("/d"))
	holds(t, again.AfterPowerCut(DropAll), "/d/a", "oldnew", "/d/b", "b")
	// And none of that reaches back.
	holds(t, f.AfterPowerCut(DropAll), "/d/a", "old")
}

func TestCutLeavesTheOriginalAlone(t *testing.T) {
	f := New()
	f.WriteFile("/d/a", []byte("old"))
	write(t, f, "/d/a", extend, "new", false)
	for _, mode := range Modes() {
		after := f.AfterPowerCut(mode)
		write(t, after, "/d/a", os.O_RDWR, "XX", true)
		write(t, after, "/d/a", replace, "other", true)
		must(t, after.Remove("/d/a"))
		must(t, after.SyncDir("/d"))
		if after.Ops() == f.Ops() || len(after.Files()) != 0 {
			t.Fatalf("%v: %v", mode, after.Trace())
		}
	}
	holds(t, f, "/d/a", "oldnew")
	holds(t, f.AfterPowerCut(DropAll), "/d/a", "old")
}

func TestFixturesTouchNothingElse(t *testing.T) {
	f := New()
	f.WriteFile("/d/a", []byte("a"))
	write(t, f, "/d/b", replace, "b", true)
	must(t, f.Remove("/d/a"))
	ops := f.Ops()
	f.WriteFile("/d/c", []byte("c"))
	f.WriteFile("/d/c", []byte("cc"))
	f.Symlink("c", "/d/l")
	if f.Ops() != ops {
		t.Fatalf("fixtures counted: %v", f.Trace())
	}
	holds(t, f, "/d/b", "b", "/d/c", "cc")
	after := f.AfterPowerCut(DropAll)
	holds(t, after, "/d/a", "a", "/d/c", "cc")
	_, err := after.Open("/d/l", os.O_RDONLY, 0)
	is(t, err, syscall.ELOOP)

	for _, bad := range []func(){
		func() { f.WriteFile("/", nil) },
		func() { f.WriteFile("relative", nil) },
		func() { f.WriteFile("/d", nil) },
		func() { f.WriteFile("/d/l", nil) },
		func() { f.WriteFile("/d/c/x", nil) },
		func() { f.Symlink("c", "/d/c") },
	} {
		panics(t, bad)
	}
}

func panics(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Error("did not panic")
		}
	}()
	f()
}
