package faultfs

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// every runs each kind of operation once, in a fixed order, going on after
// errors. It returns the errors in the order of the numbers.
func every(f *FS) []error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	note(f.MkdirAll("/d", 0o700))
	o, err := f.Open("/d/a", os.O_RDWR|os.O_CREATE, 0o600)
	note(err)
	if err == nil {
		_, err = o.Write([]byte("123456"))
		note(err)
		note(o.Sync())
		_, err = o.ReadAt(make([]byte, 2), 0)
		note(err)
		note(o.Truncate(4))
		_, err = o.Read(nil)
		note(err)
		_, err = o.Stat()
		note(err)
		note(o.Close())
	}
	_, err = f.Lstat("/d/a")
	note(err)
	note(f.Rename("/d/a", "/d/b"))
	note(f.SyncDir("/d"))
	_, err = f.ReadDir("/d")
	note(err)
	note(f.Remove("/d/b"))
	l, err := f.Lock("/d/l")
	note(err)
	if err == nil {
		note(l.Close())
	}
	return errs
}

var everyTrace = []string{
	"mkdirall /d", "open /d/a rdwr|create", "write /d/a 6", "sync /d/a",
	"readat /d/a 2@0", "truncate /d/a 4", "read /d/a 0", "stat /d/a",
	"close /d/a", "lstat /d/a", "rename /d/a /d/b", "syncdir /d", "readdir /d",
	"remove /d/b", "lock /d/l", "close /d/l",
}

func TestTrace(t *testing.T) {
	f := New()
	for i, err := range every(f) {
		if err != nil {
			t.Errorf("%s: %v", everyTrace[i], err)
		}
	}
	if diff := cmp.Diff(everyTrace, f.Trace()); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
	if f.Ops() != len(everyTrace) || f.Hits() != 0 {
		t.Errorf("got %d operations, %d hits", f.Ops(), f.Hits())
	}
	f.Trace()[0] = "mine"
	if f.Trace()[0] != everyTrace[0] {
		t.Error("the trace is shared")
	}
}

func TestErrnoOnEveryOperation(t *testing.T) {
	for n := 1; n <= len(everyTrace); n++ {
		f := New()
		f.Fail(n, Errno(syscall.EIO))
		errs := every(f)
		is(t, errs[n-1], syscall.EIO)
		if f.Hits() != 1 || f.Trace()[n-1] != everyTrace[n-1]+" ! "+syscall.EIO.Error() {
			t.Errorf("got %d hits, %v", f.Hits(), f.Trace())
		}
	}
}

// An operation that fails is not carried out: the state is the one in which a
// system stops that crashes at the same number.
func TestErrnoCarriesNothingOut(t *testing.T) {
	for n := 1; n <= len(everyTrace); n++ {
		if strings.HasPrefix(everyTrace[n-1], "close") {
			continue
		}
		f := New()
		f.Fail(n, Errno(syscall.EIO))
		f.Fail(n+1, Crash)
		every(f)
		g := New()
		g.Fail(n, Crash)
		every(g)
		for _, mode := range Modes() {
			if diff := cmp.Diff(g.AfterPowerCut(mode).Files(), f.AfterPowerCut(mode).Files()); diff != "" {
				t.Errorf("%s, %v (-crash +errno):\n%s", everyTrace[n-1], mode, diff)
			}
		}
	}
}

func TestCrashOnEveryOperation(t *testing.T) {
	for n := 1; n <= len(everyTrace); n++ {
		// One number later, nothing has happened in between.
		f, g := New(), New()
		f.Fail(n, CrashAfter)
		g.Fail(n+1, Crash)
		for i, err := range every(f) {
			if i < n-1 {
				must(t, err)
			} else {
				crashed(t, err)
			}
		}
		every(g)
		if f.Ops() != n || f.Hits() != 1 {
			t.Fatalf("got %v", f.Trace())
		}
		for _, mode := range Modes() {
			if diff := cmp.Diff(g.AfterPowerCut(mode).Files(), f.AfterPowerCut(mode).Files()); diff != "" {
				t.Errorf("%s, %v (-crash +crash after):\n%s", everyTrace[n-1], mode, diff)
			}
		}
		must(t, f.Restart().MkdirAll("/alive", 0o700))
	}
}

func TestShortWrite(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("old"))
	o := open(t, f, "/a", extend)
	f.Fail(f.Ops()+1, ShortWrite)
	n, err := o.Write([]byte("12345"))
	is(t, err, syscall.ENOSPC)
	if n != 2 {
		t.Errorf("wrote %d bytes", n)
	}
	holds(t, f, "/a", "old12")
	f.Fail(f.Ops()+1, ShortWrite)
	n, err = o.Write(nil)
	is(t, err, syscall.ENOSPC)
	if n != 0 {
		t.Errorf("wrote %d bytes of none", n)
	}
}

func TestLyingSync(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("old"))
	o := open(t, f, "/a", extend)
	_, err := o.Write([]byte("new"))
	must(t, err)
	must(t, f.Rename("/a", "/b"))
	f.Fail(f.Ops()+1, LyingSync)
	f.Fail(f.Ops()+2, LyingSync)
	must(t, o.Sync())
	must(t, f.SyncDir("/"))
	holds(t, f.AfterPowerCut(DropAll), "/a", "old")
	must(t, o.Sync())
	must(t, f.SyncDir("/"))
	holds(t, f.AfterPowerCut(DropAll), "/b", "oldnew")
}

func TestFaultsThatMeanNothing(t *testing.T) {
	f := New()
	f.Fail(1, ShortWrite)
	f.Fail(2, LyingSync)
	must(t, f.MkdirAll("/d", 0o700))
	must(t, f.Remove("/d"))
	if diff := cmp.Diff([]string{"mkdirall /d", "remove /d"}, f.Trace()); diff != "" || f.Hits() != 0 {
		t.Errorf("%d hits, %s", f.Hits(), diff)
	}
	panics(t, func() { f.Fail(2, Crash) })
	panics(t, func() { f.Fail(0, Crash) })
}

func TestFaultNames(t *testing.T) {
	var got []string
	for _, how := range []Fault{ShortWrite, LyingSync, Crash, CrashAfter, Errno(syscall.EIO), oddity(99)} {
		got = append(got, how.String())
	}
	want := []string{"short write", "lying sync", "crash", "crash after", syscall.EIO.Error(), "oddity 99"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
