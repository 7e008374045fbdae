//go:build unix

package durable

import (
	"errors"
	"io"
	"os"
	"syscall"
)

const (
	noFollow   = syscall.O_NOFOLLOW
	canSyncDir = true
)

// lockTries bounds how often a lock file that vanishes under us is taken anew.
const lockTries = 100

// Lock implements FS. The lock is the kernel's: it ends with the process,
// however that ends. When somebody removed the file while we waited, the lock
// that counts is on the file that bears the name now.
func (OS) Lock(name string) (io.Closer, error) {
	for range lockTries {
		f, err := flock(name)
		if err != nil {
			return nil, err
		}
		if sameFile(f, name) {
			return f, nil
		}
		_ = f.Close()
	}
	return nil, &os.PathError{Op: "flock", Path: name, Err: errors.New("the file is removed again and again")}
}

func flock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "flock", Path: name, Err: err}
	}
	return f, nil
}

func sameFile(f *os.File, name string) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(have, named)
}
