//go:build linux && (amd64 || arm64)

package ptrace

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is one process of the tree. It is held by descriptor because its
// number may belong to someone else as soon as its parent has reaped it.
type process struct {
	pidfd int
	alive bool
}

// thread is one traced thread.
type thread struct {
	process *process
	// newborn threads owe the SIGSTOP with which the kernel presents them.
	// It is not the program's and must not reach it.
	newborn bool
	// finish completes a fault when the call that is under way returns.
	finish func(tid int) error
	// last means that the tree dies when the call that is under way returns.
	last bool
}

// adopt makes the tracer know a thread that it sees for the first time.
func (t *tracer) adopt(tid int) (*thread, error) {
	tgid, err := processOf(tid)
	if err != nil {
		return nil, err
	}
	p := t.processes[tgid]
	if p == nil {
		fd, err := unix.PidfdOpen(tgid, 0)
		if err != nil {
			return nil, fmt.Errorf("taking hold of process %d: %w", tgid, err)
		}
		p = &process{pidfd: fd, alive: true}
		t.processes[tgid] = p
	}
	th := &thread{process: p, newborn: true}
	t.threads[tid] = th
	return th, nil
}

// processOf returns the process that a thread is in. The kernel's fork events
// do not say whether a clone made a thread or a process.
func processOf(tid int) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return 0, fmt.Errorf("asking for the process of thread %d: %w", tid, err)
	}
	_, rest, _ := bytes.Cut(status, []byte("\nTgid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	tgid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil {
		return 0, fmt.Errorf("reading the process of thread %d: %w", tid, err)
	}
	return tgid, nil
}

// killAll sends SIGKILL to every process of the tree. Those that are just being
// born report themselves later and are killed then, see stopped.
func (t *tracer) killAll() {
	t.dying = true
	for _, p := range t.processes {
		p.kill()
	}
}

// kill fails only for a process that is dead already.
func (p *process) kill() {
	if p.alive {
		unix.PidfdSendSignal(p.pidfd, unix.SIGKILL, nil, 0)
	}
}

// reapOrphans collects what the tree left to its heir. A process that its own
// parent has reaped is no child of ours, and the wait says so.
func (t *tracer) reapOrphans() {
	for _, p := range t.processes {
		unix.Waitid(unix.P_PIDFD, p.pidfd, nil, unix.WEXITED|unix.WNOHANG|unix.WALL, nil)
		unix.Close(p.pidfd)
	}
	for _, pid := range t.unmet {
		unix.Wait4(pid, nil, unix.WNOHANG|unix.WALL, nil)
	}
}
