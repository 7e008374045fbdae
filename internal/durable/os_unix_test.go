//go:build unix

package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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

// Who waited for a lock file that was removed meanwhile must not believe that
// he holds the lock: another process may hold the one that bears the name now.
func TestALockOnAFileThatWasRemovedIsTakenAnew(t *testing.T) {
	name := t.TempDir() + "/lock"
	first, err := durable.OS{}.Lock(name)
	must(t, err)
	old, err := os.Open(name)
	must(t, err)
	defer old.Close()
	must(t, os.Remove(name))
	second, err := durable.OS{}.Lock(name) // the new file is free
	must(t, err)
	must(t, first.Close())
	must(t, syscall.Flock(int(old.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)) // the old one guards nothing any more
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("the lock that counts is not held: %v", err)
	}
	must(t, second.Close())
}

func TestAWaiterFollowsTheNameOfTheLock(t *testing.T) {
	name := t.TempDir() + "/lock"
	first, err := durable.OS{}.Lock(name)
	must(t, err)
	got := make(chan error)
	go func() {
		c, err := durable.OS{}.Lock(name)
		if err == nil {
			held, statErr := c.(*os.File).Stat()
			named, lstatErr := os.Lstat(name)
			if err = errors.Join(statErr, lstatErr); err == nil && !os.SameFile(held, named) {
				err = errors.New("the waiter locked a file that bears no name")
			}
			err = errors.Join(err, c.Close())
		}
		got <- err
	}()
	must(t, os.Remove(name))
	must(t, first.Close())
	must(t, <-got)
}

func TestAStateFolderThatIsALinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(dir+"/p/.claude", 0o755))
	must(t, os.Mkdir(dir+"/elsewhere", 0o755))
	must(t, os.Symlink(dir+"/elsewhere", dir+"/p/.claude/state"))
	s := durable.New(durable.Config{Dir: dir + "/p/.claude", Now: time.Now})
	mentions(t, s.Append("note", "x"), "state", "a symbolic link, not a folder")
	mentions(t, s.Try(), "a symbolic link, not a folder")
	if entries, _ := os.ReadDir(dir + "/elsewhere"); len(entries) > 0 {
		t.Error("something was written behind the link")
	}
}

func TestALeaseNeedsANameThatIsNoPath(t *testing.T) {
	s := durable.New(durable.Config{Dir: t.TempDir(), Now: time.Now})
	_, _, err := s.Acquire("../x", durable.Process{PID: 1}, nil)
	mentions(t, err, `"../x"`, "letters, digits")
}

func TestAFolderThatTakesNothingSaysWhy(t *testing.T) {
	dir := t.TempDir()
	if err := durable.CheckWritable(dir); err != nil {
		t.Error(err)
	}
	gone := filepath.Join(dir, "gone")
	if err := durable.CheckWritable(gone); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), gone) {
		t.Errorf("%v", err)
	}
}

func TestWhatIsTooLargeIsNotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	for size, want := range map[int]string{1 << 10: "", 1<<10 + 1: "it is larger than 1 KB"} {
		if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := durable.ReadSmall(file, 1<<10)
		if want == "" && (err != nil || len(text) != size) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: %d, %v", size, len(text), err)
		}
	}
}
