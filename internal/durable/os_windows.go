package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

const canSyncDir = false // the file system journals renames itself

func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// Lock implements FS.
func (OS) Lock(name string) (io.Closer, error) { return lockFile(name, 0) }

// TryLock takes the lock without waiting, if it is free.
func (o OS) TryLock(name string) (io.Closer, bool) {
	f, err := o.LockNow(name)
	return f, err == nil
}

// LockNow takes the lock without waiting. ErrHeld means that another process has it; any other
// error means that the file cannot be locked.
func (OS) LockNow(name string) (io.Closer, error) {
	f, err := lockFile(name, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return nil, ErrHeld
	}
	return f, err
}

func lockFile(name string, how uint32) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	var at windows.Overlapped
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|how, 0, 1, 0, &at); err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "lock", Path: name, Err: err}
	}
	return f, nil
}

// CheckWritable always returns nil: Windows only tells by trying.
func CheckWritable(string) error { return nil }

// nonBlocking is 0: on Windows named pipes are not in folders.
const nonBlocking = 0

// noFollow is 0: on Windows creating a link takes rights that agents do not have.
const noFollow = 0

func readRegular(path string, _ int, most int64) ([]byte, error) {
	f, err := OpenPlain(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > most {
		return nil, &fs.PathError{Op: "read", Path: path, Err: &largeError{info.Size(), most}}
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: &largeError{int64(len(text)), most}}
	}
	return text, err
}
