//go:build unix

package durable

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

const canSyncDir = true

// openFile opens a file without registering it with the runtime's poller: a regular file is always
// ready, and registering costs more system calls than reading it.
func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, flag|syscall.O_CLOEXEC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, uint32(perm.Perm()))
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if err != syscall.EINTR {
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// lockTries bounds how often Lock starts over because the lock file was removed.
const lockTries = 100

// Lock implements FS. The kernel releases the lock however the process ends. If the file was
// removed while we waited, only a lock on the file that has the name now counts.
func (OS) Lock(name string) (io.Closer, error) {
	for range lockTries {
		f, err := flock(name, syscall.LOCK_EX)
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

// TryLock takes the lock without waiting, if it is free.
func (o OS) TryLock(name string) (io.Closer, bool) {
	f, err := o.LockNow(name)
	return f, err == nil
}

// LockNow takes the lock without waiting. ErrHeld means that another process has it; any other
// error means that the file cannot be locked.
func (OS) LockNow(name string) (io.Closer, error) {
	f, err := flock(name, syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, ErrHeld
	case err != nil:
		return nil, err
	case !sameFile(f, name):
		_ = f.Close()
		return nil, ErrHeld
	}
	return f, nil
}

func flock(name string, how int) (*os.File, error) {
	f, err := openFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), how)
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

// CheckWritable returns why a folder is not writable. It creates nothing.
func CheckWritable(dir string) error {
	const write = 2
	if err := syscall.Access(dir, write); err != nil {
		return &os.PathError{Op: "writing to", Path: dir, Err: err}
	}
	return nil
}

// nonBlocking makes open return at once; it does not affect reading a regular file.
const nonBlocking = syscall.O_NONBLOCK

// noFollow makes open fail on a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// readRegular reads a regular file of bounded size by raw system calls: registering it with the
// runtime's poller takes as many calls as reading it.
func readRegular(path string, flag int, most int64) ([]byte, error) {
	fd, err := openRaw(path, flag)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	switch err := syscall.Fstat(fd, &st); {
	case err != nil:
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG:
		return nil, &fs.PathError{Op: "open", Path: path, Err: ErrOdd}
	case st.Size > most:
		return nil, &fs.PathError{Op: "read", Path: path, Err: &largeError{st.Size, most}}
	}
	text := make([]byte, 0, max(512, st.Size+1)) // files in /proc report size 0
	for int64(len(text)) <= most {               // a file that grows meanwhile may end up too large
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		// The buffer had room for one more byte than the file: another read would only return EOF.
		if text = text[:len(text)+n]; n == 0 || int64(len(text)) == st.Size {
			return text, nil
		}
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: &largeError{int64(len(text)), most}}
}

func openRaw(path string, flag int) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|flag, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}
