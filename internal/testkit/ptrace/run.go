//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Fault says where and how to hurt. The zero Fault hurts nothing and counts.
type Fault struct {
	// At is the matching system call to hurt, 1-based; 0 hurts none.
	At int
	// After kills when the call has run rather than before it. Together with
	// Short it leaves a torn write: half of it done, then death. A call that
	// never returns, such as exit_group, ends its process by itself, with the
	// process's own exit code.
	After bool
	// Errno is the error that the call returns without being executed; 0
	// kills the whole process tree with SIGKILL.
	Errno syscall.Errno
	// Short executes the call with half its length and no error. Only calls
	// that write two bytes or more can be shortened, so only they match.
	Short bool
	// Match selects the calls that count; nil takes every system call. It is
	// called from one goroutine at a time, not the one that called Run.
	Match func(Call) bool
	// Limit is how long the program may run before it is killed and Run
	// reports an error; 0 means a minute. A program that hangs after a fault
	// is a finding, and a finding must not hang the test.
	Limit time.Duration
}

// Call is one system call as the program made it.
type Call struct {
	Nr   uint64
	Name string
	// Path is, for file calls, the path argument made absolute, or the path
	// behind the descriptor as the kernel spells it (a removed file ends in
	// " (deleted)"). It is empty where there is none.
	Path string
	// To is the second path of the calls that have two: rename and link.
	To   string
	Args [6]uint64
}

// Result is what a traced program did.
type Result struct {
	// Calls is how many matching calls began, the hurt one included.
	Calls int
	// Hit is the call that was hurt; nil if Fault.At was never reached.
	Hit *Call
	// ExitCode is that of the first process: 128 plus the signal if a signal
	// ended it, so 137 after a kill.
	ExitCode       int
	Stdout, Stderr []byte
}

const defaultLimit = time.Minute

// Run executes argv in dir (empty: the current one) with env (nil: that of the
// test process), an empty standard input and a session of its own, hurts it as
// f says, and returns when the whole process tree is gone. A program that
// fails is not an error of Run. An error for which errors.Is(err,
// syscall.EPERM) holds means that this machine does not permit ptrace.
func Run(argv []string, dir string, env []string, f Fault) (Result, error) {
	if err := f.check(); err != nil {
		return Result{}, err
	}
	if len(argv) == 0 {
		return Result{}, errors.New("ptrace: no program given")
	}
	if f.Limit == 0 {
		f.Limit = defaultLimit
	}
	var res Result
	err := errors.New("the fault's Match ended the tracing goroutine; it must return")
	onOwnThread(func() { res, err = traceTree(argv, dir, env, f) })
	if err != nil {
		return res, fmt.Errorf("ptrace: %s: %w", argv[0], err)
	}
	return res, nil
}

// check refuses faults that contradict themselves: a sweep over many faults
// must not count a combination as covered that did nothing.
func (f Fault) check() error {
	switch {
	case f.At < 0:
		return fmt.Errorf("ptrace: fault at call %d: calls are counted from 1", f.At)
	case f.Errno != 0 && f.Short:
		return errors.New("ptrace: fault with Errno and Short: a call either fails or is short")
	case f.Errno != 0 && f.After:
		return errors.New("ptrace: fault with Errno and After: a failing call is not executed")
	case f.Limit < 0:
		return fmt.Errorf("ptrace: fault with a limit of %v", f.Limit)
	}
	return nil
}
