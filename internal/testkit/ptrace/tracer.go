//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tracer follows one process tree. Every method must run on the thread that
// started the tree: the kernel obeys no other.
type tracer struct {
	fault     Fault
	first     int // the process that Run started
	threads   map[int]*thread
	processes map[int]*process
	unmet     []int // threads that died before they ever stopped for us
	dying     bool  // the kill is decided; only reaping is left
	result    Result
}

// traceTree is Run on its own thread.
func traceTree(argv []string, dir string, env []string, f Fault) (res Result, err error) {
	stdout, err := newCapture("stdout")
	if err != nil {
		return res, err
	}
	defer stdout.Close()
	stderr, err := newCapture("stderr")
	if err != nil {
		return res, err
	}
	defer stderr.Close()
	release, err := inheritOrphans()
	if err != nil {
		return res, err
	}
	defer release()
	first, err := start(argv, dir, env, stdout, stderr)
	if err != nil {
		return res, err
	}

	t := &tracer{fault: f, first: first, threads: map[int]*thread{}, processes: map[int]*process{}}
	err = t.follow()
	out, outErr := captured(stdout)
	text, textErr := captured(stderr)
	t.result.Stdout, t.result.Stderr = out, text
	return t.result, errors.Join(err, outErr, textErr)
}

// follow lets the program run until the tree is gone. The tree is gone as well
// if a Match ends the goroutine: only a reaped tree leaves nothing behind.
func (t *tracer) follow() error {
	th, err := t.adopt(t.first)
	if err != nil {
		discard(t.first)
		return err
	}
	th.newborn = false // its first stop was the exec, and is over
	expired := limit(th.process, t.fault.Limit)
	defer func() {
		t.killAll()
		t.reports()
		expired()
		t.reapOrphans()
	}()
	if err = resume(t.first, 0); err != nil {
		t.killAll()
	}
	err = errors.Join(err, t.reports())
	if expired() {
		err = errors.Join(err, fmt.Errorf("still running after %v, killed", t.fault.Limit))
	}
	return err
}

// reports handles what the kernel reports until there is nothing left that
// could report. After an error it goes on with the tree killed.
func (t *tracer) reports() (failure error) {
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.ECHILD:
			return failure
		case err != nil:
			return errors.Join(failure, fmt.Errorf("waiting for the tree: %w", err))
		case !status.Stopped():
			t.ended(tid, status)
			continue
		}
		if err := t.stopped(tid, status); err != nil {
			t.killAll()
			if failure == nil {
				failure = err
			}
		}
	}
}

// ended handles the death of a thread. The report about the first thread of a
// process comes last, so it is the death of the process.
func (t *tracer) ended(tid int, status unix.WaitStatus) {
	if t.threads[tid] == nil {
		t.unmet = append(t.unmet, tid)
	}
	t.forget(tid)
	if p := t.processes[tid]; p != nil {
		p.alive = false
	}
	if tid != t.first {
		return
	}
	t.result.ExitCode = status.ExitStatus()
	if status.Signaled() {
		t.result.ExitCode = 128 + int(status.Signal())
	}
	t.killAll()
}

// forget drops a thread. If it was to take the tree along after its call, the
// call has ended now in the one way that shows no return.
func (t *tracer) forget(tid int) {
	if th := t.threads[tid]; th != nil && th.last {
		t.killAll()
	}
	delete(t.threads, tid)
}

// resume lets a thread run to its next system call or return from one. A
// thread that was killed meanwhile is no error: its death is reported next.
func resume(tid int, signal unix.Signal) error {
	if err := unix.PtraceSyscall(tid, int(signal)); err != nil && !vanished(err) {
		return fmt.Errorf("resuming thread %d: %w", tid, err)
	}
	return nil
}

// vanished reports whether an operation failed because its thread was killed.
func vanished(err error) bool {
	return errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrNotExist)
}

// limit kills the process when the time is over. The rest of the tree follows
// in ended. The returned function stops the clock and says if it had run out;
// after it, nothing uses the process any more.
func limit(p *process, after time.Duration) (expired func() bool) {
	done, out := make(chan struct{}), make(chan bool, 1)
	pidfd := p.pidfd
	go func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
			out <- unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0) == nil
		case <-done:
			out <- false
		}
	}()
	return sync.OnceValue(func() bool { close(done); return <-out })
}
