//go:build unix

package durable

import (
	"io/fs"
	"syscall"
)

// nonBlocking opens without waiting; reading a regular file is the same with it.
const nonBlocking = syscall.O_NONBLOCK

// noFollow opens no link.
const noFollow = syscall.O_NOFOLLOW

// readRegular reads a regular file of bounded size by system calls alone: telling the runtime's
// poller of it takes as many of them as reading it.
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
	text := make([]byte, 0, max(512, st.Size+1)) // the kernel's own say that they have none
	for int64(len(text)) <= most {               // one that grows meanwhile is larger in the end
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
		// There was room for one byte more than it has: reading on would only say that it ends.
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
