package faultfs

import (
	"os"
	"syscall"
	"testing"
)

func TestLimit(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("12345"))
	f.Limit(8)
	o := open(t, f, "/b", extend)
	n, err := o.Write([]byte("xyzvw"))
	is(t, err, syscall.ENOSPC)
	if n != 3 {
		t.Errorf("wrote %d bytes", n)
	}
	holds(t, f, "/a", "12345", "/b", "xyz")
	n, err = o.Write([]byte("v"))
	is(t, err, syscall.ENOSPC)
	if n != 0 {
		t.Errorf("wrote %d bytes", n)
	}
	_, err = o.Write(nil)
	must(t, err)

	// Bytes that replace others need no room.
	write(t, f, "/a", os.O_RDWR, "abcde", false)
	is(t, o.Truncate(4), syscall.ENOSPC)
	holds(t, f, "/a", "abcde", "/b", "xyz")

	f.Limit(-1)
	_, err = o.Write([]byte("and more"))
	must(t, err)
	f.Limit(2)
	write(t, f, "/a", os.O_RDWR, "12345", false)
	_, err = o.Write([]byte("!"))
	is(t, err, syscall.ENOSPC)
}

func TestRemovedFilesTakeSpaceUntilClosed(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("12345"))
	f.Limit(5)
	old := open(t, f, "/a", os.O_RDONLY)
	must(t, f.Remove("/a"))
	o := open(t, f, "/b", extend)
	_, err := o.Write([]byte("x"))
	is(t, err, syscall.ENOSPC)
	must(t, old.Close())
	_, err = o.Write([]byte("xyzvw"))
	must(t, err)
	holds(t, f, "/b", "xyzvw")
}

func TestGapsNeedRoom(t *testing.T) {
	f := New()
	f.WriteFile("/a", []byte("12345"))
	f.Limit(5)
	o := open(t, f, "/a", os.O_RDWR)
	_, err := o.Read(make([]byte, 5))
	must(t, err)
	must(t, o.Truncate(1))
	n, err := o.Write([]byte("x"))
	is(t, err, syscall.ENOSPC)
	if n != 0 {
		t.Errorf("wrote %d bytes", n)
	}
	holds(t, f, "/a", "1")
}

func TestLimitBelongsToTheDisk(t *testing.T) {
	f := New()
	f.Limit(1)
	for _, mode := range Modes() {
		o := open(t, f.AfterPowerCut(mode), "/a", extend)
		n, err := o.Write([]byte("xy"))
		is(t, err, syscall.ENOSPC)
		if n != 1 {
			t.Errorf("%v: wrote %d bytes", mode, n)
		}
	}
}
