//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// syscallInfo is the kernel's struct ptrace_syscall_info up to the end of the
// part about an entry. It says whether a stop is an entry or a return, which
// counting stops cannot: an exec or a signal breaks their alternation.
type syscallInfo struct {
	op   uint8
	_    [3]byte
	arch uint32
	_    [2]uint64 // instruction and stack pointer
	nr   uint64
	args [6]uint64
}

func getSyscallInfo(tid int) (info syscallInfo, err error) {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return info, fmt.Errorf("asking for the system call of thread %d: %w", tid, errno)
	}
	return info, nil
}

// atSyscall handles the entry to a system call or the return from one.
func (t *tracer) atSyscall(tid int, th *thread) error {
	info, err := getSyscallInfo(tid)
	if err != nil {
		return err
	}
	switch info.op {
	case unix.PTRACE_SYSCALL_INFO_ENTRY:
		return t.enter(tid, th, info)
	case unix.PTRACE_SYSCALL_INFO_EXIT:
		return t.leave(tid, th)
	}
	return nil
}

// enter counts the call if it matches and hurts it if it is the one.
func (t *tracer) enter(tid int, th *thread, info syscallInfo) error {
	if info.arch != nativeArch {
		// The numbers would be read from the wrong table, and the fault
		// would strike another call than the one it names.
		return fmt.Errorf("thread %d made a system call of another architecture (%#x)", tid, info.arch)
	}
	c := Call{Nr: info.nr, Args: info.args}
	if t.fault.Match != nil {
		if err := c.describe(tid); err != nil || !t.fault.Match(c) {
			return err
		}
	}
	var cut cut
	if t.fault.Short {
		var possible bool
		var err error
		if cut, possible, err = planCut(tid, c); err != nil || !possible {
			return err
		}
	}
	if t.result.Calls++; t.result.Calls != t.fault.At {
		return nil
	}
	if t.fault.Match == nil {
		if err := c.describe(tid); err != nil {
			return err
		}
	}
	t.result.Hit = &c
	return t.hurt(tid, th, cut)
}

// hurt applies the fault to the call that the thread is about to make.
func (t *tracer) hurt(tid int, th *thread, cut cut) error {
	th.last = t.fault.After
	switch {
	case t.fault.Errno != 0:
		th.finish = func(tid int) error { return setReturn(tid, -int64(t.fault.Errno)) }
		return skipCall(tid)
	case t.fault.Short:
		th.finish = cut.undo
		return cut.apply(tid)
	case t.fault.After:
		return nil
	}
	// Kernels differ in whether a thread that is killed here still makes its
	// call. With the call taken away there is nothing left to make.
	err := skipCall(tid)
	t.killAll()
	return err
}

// leave completes a fault whose call has returned.
func (t *tracer) leave(tid int, th *thread) error {
	if th.last {
		t.killAll()
		return nil
	}
	if th.finish == nil {
		return nil
	}
	finish := th.finish
	th.finish = nil
	return finish(tid)
}
