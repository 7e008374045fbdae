package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestReadAndWriteShareAPosition(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("0123456789"))
	o := open(t, f, "/a", os.O_RDWR)
	p := make([]byte, 4)
	n, err := o.Read(p)
	if n != 4 || err != nil || string(p) != "0123" {
		t.Fatalf("got %d %v %q", n, err, p)
	}
	_, err = o.Write([]byte("ab"))
	must(t, err)
	rest, err := io.ReadAll(o)
	must(t, err)
	if string(rest) != "6789" {
		t.Fatalf("got %q", rest)
	}
	if n, err := o.Read(p); n != 0 || err != io.EOF {
		t.Fatalf("got %d %v, want a bare EOF", n, err)
	}
	if n, err := o.Read(nil); n != 0 || err != nil {
		t.Fatalf("got %d %v", n, err)
	}
	holds(t, f, "/a", "0123ab6789")
}

func TestReadAt(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("0123456789"))
	o := open(t, f, "/a", os.O_RDONLY)
	for _, test := range []struct {
		off  int64
		size int
		want string
		err  error
	}{
		{0, 10, "0123456789", nil},
		{8, 2, "89", nil},
		{8, 4, "89", io.EOF},
		{10, 1, "", io.EOF},
		{99, 1, "", io.EOF},
		{99, 0, "", nil},
	} {
		p := make([]byte, test.size)
		n, err := o.ReadAt(p, test.off)
		if string(p[:n]) != test.want || err != test.err {
			t.Errorf("%d@%d: got %q, %v", test.size, test.off, p[:n], err)
		}
	}
	_, err := o.ReadAt(make([]byte, 1), -1)
	is(t, err, syscall.EINVAL)
	rest, err := io.ReadAll(o)
	if string(rest) != "0123456789" || err != nil {
		t.Errorf("ReadAt moved the position: %q, %v", rest, err)
	}
}

func TestAppendGoesToTheEnd(t *testing.T) {
	f := New()
	one, two := open(t, f, "/a", extend), open(t, f, "/a", extend)
	for _, o := range []io.Writer{one, two, one} {
		_, err := o.Write([]byte("xy"))
		must(t, err)
	}
	must(t, two.Truncate(1))
	_, err := one.Write([]byte("z"))
	must(t, err)
	holds(t, f, "/a", "xz")

	// Nothing written, nothing moved.
	both := open(t, f, "/a", os.O_RDWR|os.O_APPEND)
	_, err = both.Write(nil)
	must(t, err)
	if got, err := io.ReadAll(both); string(got) != "xz" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTruncate(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("12345"))
	o := open(t, f, "/a", os.O_RDWR)
	must(t, o.Truncate(2))
	must(t, o.Truncate(4))
	holds(t, f, "/a", "12\x00\x00")
	is(t, o.Truncate(-1), syscall.EINVAL)

	// A position behind the end leaves a gap, and no old byte comes back.
	_, err := o.Write([]byte("abc"))
	must(t, err)
	must(t, o.Truncate(1))
	_, err = o.Write([]byte("z"))
	must(t, err)
	holds(t, f, "/a", "a\x00\x00z")

	open(t, f, "/a", replace)
	holds(t, f, "/a", "")
}

func TestAccess(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("1"))
	r, w := open(t, f, "/a", os.O_RDONLY), open(t, f, "/a", os.O_WRONLY)
	_, err := r.Write([]byte("x"))
	is(t, err, syscall.EBADF)
	is(t, r.Truncate(0), syscall.EINVAL)
	must(t, r.Sync())
	_, err = w.Read(make([]byte, 1))
	is(t, err, syscall.EBADF)
	_, err = w.ReadAt(make([]byte, 1), 0)
	is(t, err, syscall.EBADF)
	holds(t, f, "/a", "1")
}

func TestOpenFilesKeepTheirInode(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("old"))
	o := open(t, f, "/a", os.O_RDWR|os.O_APPEND)
	must(t, f.Rename("/a", "/b"))
	_, err := o.Write([]byte("1"))
	must(t, err)
	holds(t, f, "/b", "old1")
	write(t, f, "/c", replace, "new", false)
	must(t, f.Rename("/c", "/b"))
	_, err = o.Write([]byte("2"))
	must(t, err)
	holds(t, f, "/b", "new")
	must(t, o.Sync())
	got := make([]byte, 5)
	_, err = o.ReadAt(got, 0)
	must(t, err)
	info, err := o.Stat()
	must(t, err)
	if string(got) != "old12" || info.Size() != 5 || info.Name() != "a" {
		t.Errorf("got %q, %v", got, fs.FormatFileInfo(info))
	}
	must(t, f.Remove("/b"))
	holds(t, f)
}

func TestClosed(t *testing.T) {
	f := New()
	o := open(t, f, "/a", os.O_RDWR|os.O_CREATE)
	must(t, o.Close())
	_, errRead := o.Read(make([]byte, 1))
	_, errReadAt := o.ReadAt(make([]byte, 1), 0)
	_, errWrite := o.Write([]byte("x"))
	_, errStat := o.Stat()
	for _, err := range []error{
		errRead, errReadAt, errWrite, errStat, o.Sync(), o.Truncate(0), o.Close(),
	} {
		var inPath *fs.PathError
		if !errors.Is(err, fs.ErrClosed) || !errors.As(err, &inPath) {
			t.Errorf("got %v", err)
		}
	}
}

func TestFailedCloseCloses(t *testing.T) {
	f := New()
	o := open(t, f, "/a", replace)
	f.Fail(f.Ops()+1, Errno(syscall.EIO))
	is(t, o.Close(), syscall.EIO)
	if _, err := o.Write(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestInfo(t *testing.T) {
	f := New()
	start := time.Now()
	must(t, f.MkdirAll("/d/e", 0o750))
	write(t, f, "/d/a", replace, "123", false)
	var got []string
	for _, name := range []string{"/", "/d", "/d/e/", "/d/a"} {
		info, err := f.Lstat(name)
		must(t, err)
		got = append(got, info.Mode().String()+" "+info.Name())
		if age := info.ModTime().Sub(start); name != "/" && (age < 0 || age > time.Minute) {
			t.Errorf("%s was changed %v after the start", name, age)
		}
	}
	want := []string{"drwxr-xr-x /", "drwxr-x--- d", "drwxr-x--- e", "-rw------- a"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}
