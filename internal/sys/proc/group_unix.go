//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"
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

func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
