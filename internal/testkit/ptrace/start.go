//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// followEverything makes the kernel attach every new thread and process before
// it runs its first instruction, and kill them all should the tracer die.
const followEverything = unix.PTRACE_O_TRACESYSGOOD |
	unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL

// start launches the program and leaves it stopped at its first instruction,
// with the tracing options set. The caller must be locked to its thread, which
// is the tracer from here on.
func start(argv []string, dir string, env []string, stdout, stderr *os.File) (int, error) {
	path := argv[0]
	if filepath.Base(path) == path {
		var err error
		if path, err = exec.LookPath(path); err != nil {
			return 0, fmt.Errorf("finding the program: %w", err)
		}
	}
	if env == nil {
		env = os.Environ()
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, fmt.Errorf("opening an empty standard input: %w", err)
	}
	defer null.Close()
	// A session of its own keeps the program's kill(0, ...) and its terminal
	// signals away from the test process. os/exec is not used because it would
	// wait for the process behind our back.
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir:   dir,
		Env:   env,
		Files: []uintptr{null.Fd(), stdout.Fd(), stderr.Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setsid: true},
	})
	if err != nil {
		return 0, fmt.Errorf("starting it traced: %w", err)
	}
	if err := takeHold(pid); err != nil {
		discard(pid)
		return 0, err
	}
	return pid, nil
}

// takeHold waits for the stop that follows the first exec and sets the options
// there, before the program can have made a call of its own.
func takeHold(pid int) error {
	status, err := waitFor(pid)
	if err != nil {
		return fmt.Errorf("waiting for its first stop: %w", err)
	}
	if !status.Stopped() || status.StopSignal() != unix.SIGTRAP {
		return fmt.Errorf("waiting for its first stop: got wait status %#x", uint32(status))
	}
	if err := unix.PtraceSetOptions(pid, followEverything); err != nil {
		return fmt.Errorf("setting the trace options: %w", err)
	}
	return nil
}

// waitFor returns the next report about pid.
func waitFor(pid int) (unix.WaitStatus, error) {
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		if err != unix.EINTR {
			return status, err
		}
	}
}

// discard kills and reaps a process that could not be taken under control.
func discard(pid int) {
	unix.Kill(pid, unix.SIGKILL)
	for {
		if status, err := waitFor(pid); err != nil || !status.Stopped() {
			return
		}
	}
}

// newCapture returns a file in memory to use as an output stream. Unlike a
// pipe it needs no reader, so a stopped tracer cannot block the program; unlike
// a temporary file it adds nothing to the disk that the test looks at.
func newCapture(name string) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("making a file for %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// captured returns all that was written. The file offset belongs to the
// program, so it is read by position.
func captured(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("measuring its %s: %w", f.Name(), err)
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return nil, fmt.Errorf("reading its %s: %w", f.Name(), err)
	}
	return text, nil
}
