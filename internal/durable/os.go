package durable

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// OS is the operating system's file system.
type OS struct{}

// Open implements FS.
func (OS) Open(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := openFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Lstat implements FS.
func (OS) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// ReadDir implements FS.
func (OS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// MkdirAll implements FS.
func (OS) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (OS) Remove(name string) error { return os.Remove(name) }

// SyncDir implements FS.
func (OS) SyncDir(name string) error {
	if !canSyncDir {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("syncing the folder: %w", err)
	}
	return nil
}

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
