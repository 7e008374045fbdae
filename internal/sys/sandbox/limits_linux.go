package sandbox

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// apply limits this process and its descendants.
func (l Limits) apply() error {
	for _, r := range []struct {
		what  int
		bound uint64
	}{{unix.RLIMIT_FSIZE, uint64(l.FileMB) << 20}, {unix.RLIMIT_NPROC, l.threads()}, {unix.RLIMIT_CORE, 0}} {
		if r.bound == 0 && r.what != unix.RLIMIT_CORE {
			continue
		}
		if err := unix.Setrlimit(r.what, &unix.Rlimit{Cur: r.bound, Max: r.bound}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}

// threads bounds how far a run can multiply before the next measurement, which then gives the
// reason for ending it. The kernel counts threads and, without a user namespace, all others of the
// same user, so those are added.
func (l Limits) threads() uint64 {
	if l.Processes == 0 {
		return 0
	}
	most := 4*uint64(l.Processes) + 64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 3 {
			_, total, _ := strings.Cut(f[3], "/")
			n, _ := strconv.ParseUint(total, 10, 32)
			most += n
		}
	}
	return most
}

func become(argv []string) error {
	return os.NewSyscallError("exec", syscall.Exec(argv[0], argv, os.Environ()))
}
