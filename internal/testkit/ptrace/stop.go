//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// syscallStop is the stop signal that PTRACE_O_TRACESYSGOOD sets apart from a
// real SIGTRAP.
const syscallStop = unix.SIGTRAP | 0x80

// stopped handles one stop and lets the thread go on, unless the tree is dying:
// a SIGKILL that is on its way wakes a stopped thread by itself, and letting it
// go before could start its call.
func (t *tracer) stopped(tid int, status unix.WaitStatus) error {
	th := t.threads[tid]
	if th == nil {
		var err error
		if th, err = t.adopt(tid); err != nil {
			if vanished(err) {
				return nil
			}
			// killAll does not know it, and it would wait for us forever.
			// Its number is its own until it is reaped.
			unix.Kill(tid, unix.SIGKILL)
			return err
		}
	}
	if t.dying {
		th.process.kill()
		return nil
	}
	var deliver unix.Signal
	var err error
	signal := status.StopSignal()
	switch {
	case signal == syscallStop:
		err = t.atSyscall(tid, th)
	case status.TrapCause() == unix.PTRACE_EVENT_EXEC:
		err = t.executed(tid)
	case status.TrapCause() > 0:
		// A birth. The newborn reports itself.
	case signal == unix.SIGSTOP && th.newborn:
		th.newborn = false
	default:
		// The arrival of a signal, Go's own SIGURG among them. The stop of a
		// whole process looks the same but takes no signal, and being
		// resumed the program runs on; a stopped tree would never end.
		deliver = signal
	}
	if err != nil && !vanished(err) {
		return err
	}
	if t.dying {
		return nil
	}
	return resume(tid, deliver)
}

// executed handles an exec. All other threads of the process are gone, and the
// one that called has become its first, with that one's number.
func (t *tracer) executed(tid int) error {
	former, err := unix.PtraceGetEventMsg(tid)
	if err != nil {
		return fmt.Errorf("asking which thread of %d called exec: %w", tid, err)
	}
	caller := t.threads[int(former)]
	if int(former) == tid || caller == nil {
		return nil
	}
	delete(t.threads, int(former))
	t.forget(tid)
	caller.newborn = false
	t.threads[tid] = caller
	return nil
}
