package hook

import (
	"io"
	"os"
	"syscall"
)

const setPipeSize = 1031 // F_SETPIPE_SZ

// widenPipe lets a pipe hold a megabyte, which saves the writer and us round trips. It ignores
// errors: a narrow pipe works too.
func widenPipe(r io.Reader) {
	if f, ok := r.(*os.File); ok {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), setPipeSize, 1<<20)
	}
}
