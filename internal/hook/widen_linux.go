package hook

import (
	"io"
	"os"
	"syscall"
)

const setPipeSize = 1031 // F_SETPIPE_SZ

// widenPipe lets a pipe hold a megabyte: fewer turns for the writer and us. It is
// worth a try; a pipe that stays narrow works too.
func widenPipe(r io.Reader) {
	if f, ok := r.(*os.File); ok {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), setPipeSize, 1<<20)
	}
}
