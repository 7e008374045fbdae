// Package faultfs is a file system in memory that fails, tears and forgets on
// purpose. It implements durable.FS for the tests of a crash-safe store.
//
// It guarantees the least that POSIX promises. Everything written lives in a
// volatile cache until it is asked for by name: File.Sync makes the content
// of one file durable and nothing else, SyncDir makes the entries of one
// folder durable and nothing else. A file whose entry was never synced is lost
// however often its content was. A move between two folders is two entry
// changes: syncing only the new folder leaves both names, syncing only the old
// one leaves none.
//
// Every operation has a number (1, 2, 3…), and Fail makes one of them
// misbehave. A test runs its scenario once without faults, reads Ops, and then
// again for every number up to it. AfterPowerCut tells what the next process
// would find on the disk.
//
// It leaves out: permission checks and the umask (the mode is only recorded),
// hard links, O_SYNC, os.SameFile, space taken by entries, power cuts in the
// middle of a MkdirAll, cuts that keep some but not all unsynced entries of a
// folder, tearing of bytes overwritten in place, and the kernel's habit of
// dropping dirty pages after a failed sync (here a second Sync does work).
//
// Names are rooted and follow the operating system's spelling on the way in;
// Files and Trace always spell them with slashes.
package faultfs

import (
	"errors"
	"io/fs"
	"sync"
	"syscall"

	"warp/internal/durable"
)

// ErrCrashed is what every operation returns from the moment of a crash on.
// It is not an *fs.PathError: no code under test may mistake the death of its
// own process for something that a disk said.
var ErrCrashed = errors.New("faultfs: crashed")

// FS is one file system as one running system sees it. Its methods may be
// called concurrently.
type FS struct {
	mu sync.Mutex
	// freed is signalled when a lock is released and when the system crashes.
	freed *sync.Cond
	root  *inode
	// opened holds the open files: a removed file takes space until closed.
	opened map[*file]struct{}
	limit  int64

	trace   []string
	faults  map[int]Fault
	hits    int
	crashed bool
}

var _ durable.FS = (*FS)(nil)

// New returns an empty file system: a root folder and no limit of size.
func New() *FS {
	return mount(newFolder(0o755), noLimit)
}

func mount(root *inode, limit int64) *FS {
	f := &FS{
		root:   root,
		opened: map[*file]struct{}{},
		limit:  limit,
		faults: map[int]Fault{},
	}
	f.freed = sync.NewCond(&f.mu)
	return f
}

// do carries out one numbered operation. The work runs with f.mu held and
// returns bare errors; a syscall.Errno and fs.ErrClosed get their
// *fs.PathError here.
func (f *FS) do(verb, name, detail string, work func(how Fault) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.crashed {
		return ErrCrashed
	}
	how := f.number(verb, name, detail)
	if how == Crash {
		f.crash()
		return ErrCrashed
	}
	errno, refused := how.(Errno)
	var err error
	// A close that reports an error has closed nevertheless, as on any system
	// that matters; a lock that outlived its Close would only hang the test.
	if !refused || verb == "close" {
		err = work(how)
	}
	if refused {
		err = syscall.Errno(errno)
	}
	if how == CrashAfter {
		// The process died inside the call and never saw the result.
		f.crash()
		return ErrCrashed
	}
	return inPath(verb, name, err)
}

// crash ends this system. A process that waits for a lock must learn of it.
func (f *FS) crash() {
	f.crashed = true
	f.freed.Broadcast()
}

func inPath(verb, name string, err error) error {
	if errno, ok := err.(syscall.Errno); ok {
		return &fs.PathError{Op: verb, Path: name, Err: errno}
	}
	if err == fs.ErrClosed {
		return &fs.PathError{Op: verb, Path: name, Err: err}
	}
	return err
}
