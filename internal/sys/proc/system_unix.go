//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a command its own group and, unless inTerminal, its own session, so that it has no
// terminal to type into.
func ownGroup(inTerminal bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: !inTerminal, Setpgid: inTerminal}
}

// A pgroup is a process group, identified by its leader.
type pgroup struct{ leader *os.Process }

func newGroup(leader *os.Process) group { return pgroup{leader} }

// terminate signals each process only once: many take a second SIGTERM as an order to skip their
// clean-up.
func (g pgroup) terminate() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGTERM) }

// kill also reaches a leader that moved to another group. os.Process never signals a process that
// was waited for.
func (g pgroup) kill() {
	_ = syscall.Kill(-g.leader.Pid, syscall.SIGKILL)
	_ = g.leader.Kill()
}

func (g pgroup) close() {}

// gone asks the kernel first, which counts zombies. They stay for seconds if init is slow, or for
// ever if it does nothing, so they are checked for.
func (g pgroup) gone() bool {
	return errors.Is(syscall.Kill(-g.leader.Pid, 0), syscall.ESRCH) || onlyZombies(g.leader.Pid)
}

// ExitCode returns the exit code of a process: 128 and the signal's number if one ended it.
func ExitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// Become replaces this process with another program: same process, terminal and streams. A nil
// environment means ours. It returns only on failure.
func Become(path string, args, environ []string) error {
	if environ == nil {
		environ = os.Environ()
	}
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, append([]string{path}, args...), environ))
}

func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// EndGroup kills a process group that another program started.
func EndGroup(leader int) {
	if leader > 1 {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		_ = syscall.Kill(leader, syscall.SIGKILL)
	}
}

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

// FreeSpace returns how many bytes this user can still write to a folder's disk.
func FreeSpace(dir string) (bytes int64, known bool) {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return 0, false
	}
	return int64(fs.Bavail) * int64(fs.Bsize), true
}

// answers reports whether a process exists, as a last resort without a stamp. One that we may not
// signal does exist.
func answers(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
