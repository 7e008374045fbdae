//go:build unix

package durable

import (
	"io/fs"
	"syscall"
)

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
