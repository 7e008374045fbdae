//go:build unix

package proc

import (
	"errors"
	"os"
	"syscall"
)

// ownGroup gives a command its own group, and a session unless it stays in ours: it has
// no terminal that it could type into.
func ownGroup(inTerminal bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: !inTerminal, Setpgid: inTerminal}
}

// A pgroup is a process group, named by the process that leads it.
type pgroup struct{ leader *os.Process }

func newGroup(leader *os.Process) group { return pgroup{leader} }

// terminate reaches each process once: many take a second SIGTERM for an order
// to skip their cleaning up.
func (g pgroup) terminate() { _ = syscall.Kill(-g.leader.Pid, syscall.SIGTERM) }

// kill reaches the leader also where it has moved to another group. os.Process
// never signals a process that has been waited for.
func (g pgroup) kill() {
	_ = syscall.Kill(-g.leader.Pid, syscall.SIGKILL)
	_ = g.leader.Kill()
}

func (g pgroup) close() {}

// gone asks the kernel first, which counts zombies. These stay for seconds where
// init is slow, or for ever where it does nothing, so they are looked at.
func (g pgroup) gone() bool {
	return errors.Is(syscall.Kill(-g.leader.Pid, 0), syscall.ESRCH) || onlyZombies(g.leader.Pid)
}

func exitCode(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
