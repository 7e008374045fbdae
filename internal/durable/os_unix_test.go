//go:build unix

package durable_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"warp/internal/durable"
)

// The kernel's lock excludes everybody, and ends with its holder.
func TestTheRealLockExcludes(t *testing.T) {
	name := t.TempDir() + "/lock"
	held, err := durable.OS{}.Lock(name)
	must(t, err)
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	try := func() error { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }
	if err := try(); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("locked twice: %v", err)
	}
	must(t, held.Close())
	must(t, try())
	if _, err := (durable.OS{}).Lock(t.TempDir()); err == nil {
		t.Error("locked a folder")
	}
}

// Links are not followed, whatever is opened.
func TestTheRealFileSystemFollowsNoLinks(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/file", []byte("x"), 0o600))
	must(t, os.Symlink(dir+"/file", dir+"/link"))
	if _, err := (durable.OS{}).Open(dir+"/link", os.O_RDWR, 0); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("opened a link: %v", err)
	}
	if _, err := (durable.OS{}).Lock(dir + "/link"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("locked a link: %v", err)
	}
	info, err := durable.OS{}.Lstat(dir + "/link")
	must(t, err)
	if info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("described %v", info.Mode())
	}
}
