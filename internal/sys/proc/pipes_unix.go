//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasMore reports whether a pipe has something to read, or its end.
func hasMore(pipe *os.File) (more bool) {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	_ = conn.Control(func(fd uintptr) { // a closed one has no more
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		more = err == nil && n > 0
	})
	return more
}
