package sandbox

import (
	"bytes"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervise runs a program under rules, and ends everything that it leaves behind. Landlock has no
// process namespace, but orphans become children of this process. This process is not under the
// rules, so confined processes cannot signal it.
func supervise(r *rules, grace time.Duration, argv []string) (int, error) {
	runtime.LockOSThread() // the settings below belong to the thread and would end with it
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, os.NewSyscallError("prctl", err)
	}
	warp := os.Getppid()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, parentEnded)
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(parentEnded), 0, 0, 0); err != nil {
		return 0, os.NewSyscallError("prctl", err)
	}
	program, err := startUnder(r, argv)
	if err != nil {
		return 0, err
	}
	go func() {
		for s := range signals {
			switch {
			case s != parentEnded:
				group := below(program.Pid, os.Getpid()) // before any of them ends
				_ = program.Signal(s)                    // an ended process needs no signal
				for _, one := range group {
					_ = syscall.Kill(one, s.(syscall.Signal)) // of those above, which are
				}
				if grace > 0 {
					time.AfterFunc(grace, leave)
				}
			case os.Getppid() != warp: // otherwise only a thread of warp's ended
				leave()
			}
		}
	}()
	code := reap(program.Pid)
	endAll()
	return code, nil
}

// parentEnded is the signal that tells this process that warp was killed.
const parentEnded = unix.SIGUSR1

// leave ends everything. The caller must not kill this process instead: that would set its
// descendants free.
func leave() {
	endAll()
	os.Exit(128 + int(unix.SIGKILL))
}

// startUnder starts a program from a thread that is under the rules, which the program inherits.
// The other threads are not under them.
func startUnder(r *rules, argv []string) (*os.Process, error) {
	type result struct {
		p   *os.Process
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with this function
		if err := r.enforce(); err != nil {
			done <- result{nil, err}
			return
		}
		p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
		done <- result{p, err}
	}()
	got := <-done
	return got.p, got.err
}

// reap waits for all children until the program has ended, and returns its exit code.
func reap(program int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 126
		case pid != program:
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}

// endAll kills everything below this process. Children of a killed process become this process's,
// so it searches again until there are none.
func endAll() {
	for range 10_000 {
		left := children(os.Getpid())
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// Within reports whether this process is in a box of ours with its own process namespace. It relies
// only on what a process inside cannot change: the command line of the box's first process, and our
// program bound into the box.
func Within() bool {
	if _, err := os.Lstat(insideSelf); err == nil {
		return true
	}
	line, err := os.ReadFile("/proc/1/cmdline")
	return err == nil && bytes.Contains(line, []byte("\x00"+insideSelf+"\x00"+insideCommand+"\x00"))
}
