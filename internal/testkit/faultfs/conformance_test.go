//go:build unix

package faultfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
)

// system is a file system under comparison: durable.OS or ours, with a folder
// of its own and a log of everything that it answered.
type system struct {
	durable.FS
	root string
	link func(target, name string)
	log  []string
}

// compare runs one scenario on the real file system and on ours. The answers
// have to be the same, errnos included.
func compare(t *testing.T, run func(s *system)) {
	t.Helper()
	// Deep enough for ".." to stay inside.
	root := filepath.Join(t.TempDir(), "x", "y", "z")
	must(t, os.MkdirAll(root, 0o700))
	real := &system{FS: durable.OS{}, root: root}
	real.link = func(target, name string) { must(t, os.Symlink(target, real.at(name))) }
	run(real)

	f := New()
	must(t, f.MkdirAll(root, 0o700))
	ours := &system{FS: f, root: root}
	ours.link = func(target, name string) { f.Symlink(target, ours.at(name)) }
	run(ours)
	if diff := cmp.Diff(real.log, ours.log); diff != "" {
		t.Errorf("answers (-os +faultfs):\n%s", diff)
	}
}

// at does not clean the name as filepath.Join would: ".." is part of the test.
func (s *system) at(name string) string { return s.root + "/" + name }

func (s *system) say(format string, args ...any) {
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = kind(err)
		}
	}
	s.log = append(s.log, fmt.Sprintf(format, args...))
}

// kind reduces an error to what both systems have to agree on: the real one
// may wrap it differently.
func kind(err error) string {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return errno.Error()
	case errors.Is(err, fs.ErrClosed):
		return "closed"
	}
	return err.Error()
}

func (s *system) open(name string, flag int) durable.File {
	o, err := s.Open(s.at(name), flag, 0o600)
	s.say("open %s %s: %v", name, flags(flag), err)
	return o
}

func (s *system) list(name string) {
	entries, err := s.ReadDir(s.at(name))
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Type().String()+entry.Name())
	}
	s.say("readdir %s: %s, %v", name, strings.Join(found, " "), err)
}

func (s *system) lstat(name string) {
	info, err := s.Lstat(s.at(name))
	switch {
	case err != nil:
		s.say("lstat %s: %v", name, err)
	case info.Mode().IsRegular():
		s.say("lstat %s: %s %v %d", name, info.Name(), info.Mode(), info.Size())
	default: // the sizes of other things differ between file systems
		s.say("lstat %s: %s %v", name, info.Name(), info.Mode().Type())
	}
}

func TestConformance(t *testing.T) {
	compare(t, func(s *system) {
		s.say("mkdirall: %v", s.MkdirAll(s.at("p/q"), 0o700))
		s.say("mkdirall again: %v", s.MkdirAll(s.at("p/q"), 0o700))
		o := s.open("p/a", os.O_RDWR|os.O_CREATE|os.O_EXCL)
		n, err := o.Write([]byte("0123456789"))
		s.say("write: %d %v", n, err)
		p := make([]byte, 4)
		n, err = o.Read(p)
		s.say("read at the end: %d %v", n, err)
		n, err = o.ReadAt(p, 8)
		s.say("readat over the end: %q %v", p[:n], err)
		s.say("truncate: %v", o.Truncate(12))
		n, err = o.Read(p)
		s.say("read the gap: %q %v", p[:n], err)
		s.say("sync: %v", o.Sync())
		info, err := o.Stat()
		s.say("stat: %s %d %v %v", info.Name(), info.Size(), info.Mode(), err)
		s.open("p/a", os.O_RDWR|os.O_CREATE|os.O_EXCL)
		s.open("p/no", os.O_RDONLY)
		s.open("p", os.O_RDWR)
		s.lstat("p/a")
		s.lstat("p")

		s.say("rename: %v", s.Rename(s.at("p/a"), s.at("p/b")))
		s.say("syncdir: %v", s.SyncDir(s.at("p")))
		s.say("syncdir missing: %v", s.SyncDir(s.at("no")))
		n, err = o.Write([]byte("!"))
		s.say("write after rename: %d %v", n, err)
		s.lstat("p/b")
		s.say("rename over a folder: %v", s.Rename(s.at("p/b"), s.at("p/q")))
		s.say("remove a full folder: %v", s.Remove(s.at("p")))
		s.say("remove: %v", s.Remove(s.at("p/b")))
		n, err = o.ReadAt(p, 9)
		s.say("readat after remove: %q %v", p[:n], err)
		s.say("close: %v", o.Close())
		s.say("close again: %v", o.Close())
		_, err = o.Write(p)
		s.say("write after close: %v", err)

		s.link("q", "p/l")
		s.open("p/l", os.O_RDONLY)
		s.lstat("p/l")
		s.list("p/l")
		_, err = s.Lock(s.at("p/l"))
		s.say("lock a link: %v", err)
		for range 2 { // the second would wait, had the first not let go
			l, err := s.Lock(s.at("p/lock"))
			s.say("lock: %v", err)
			s.say("unlock: %v", l.Close())
		}
		s.lstat("p/lock")
		s.list("p")
		s.list("p/lock")
	})
}
