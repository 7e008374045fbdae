package durable

import (
	"io"
	"io/fs"
)

// FS is the part of a file system that the store needs. OS is the real one; testkit/faultfs fails,
// tears and forgets on purpose. Names are absolute, in the operating system's spelling. Errors are
// those of package os: *fs.PathError around a syscall.Errno.
type FS interface {
	// Open opens a file as os.OpenFile does. It never follows a symbolic link in the last element.
	Open(name string, flag int, perm fs.FileMode) (File, error)
	// Lstat describes a file without following a symbolic link.
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	// MkdirAll creates a folder and its missing parents.
	MkdirAll(name string, perm fs.FileMode) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir makes the entries of a folder (creations, renames, removals)
	// survive a power cut.
	SyncDir(name string) error
	// Lock waits for the exclusive advisory lock on a file, which it creates if missing and never
	// removes. The lock ends with Close or with the process.
	Lock(name string) (io.Closer, error)
}

// File is an open file of an FS.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	// Sync makes the content survive a power cut.
	Sync() error
	Truncate(size int64) error
}
