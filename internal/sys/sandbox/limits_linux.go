package sandbox

import (
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// apply limits this process and what it starts.
func (l Limits) apply() error {
	for _, r := range []struct {
		what  int
		bound uint64
	}{{unix.RLIMIT_FSIZE, uint64(l.FileMB) << 20}, {unix.RLIMIT_NPROC, uint64(l.Processes)}, {unix.RLIMIT_CORE, 0}} {
		if r.bound == 0 && r.what != unix.RLIMIT_CORE {
			continue
		}
		if err := unix.Setrlimit(r.what, &unix.Rlimit{Cur: r.bound, Max: r.bound}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}

// become turns this process into a program, confined by rules where there are some.
// They hold for the thread that asks for them; after an exec that thread is all there is.
func become(r *rules, argv []string) error {
	runtime.LockOSThread()
	if r != nil {
		if err := r.enforce(); err != nil {
			return err
		}
	}
	return os.NewSyscallError("exec", syscall.Exec(argv[0], argv, os.Environ()))
}
