//go:build linux

package ptrace

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const nativeArch = unix.AUDIT_ARCH_AARCH64

// setReg changes one general register of a stopped thread.
func setReg(tid, index int, value uint64) error {
	var regs unix.PtraceRegsArm64
	if err := unix.PtraceGetRegSetArm64(tid, unix.NT_PRSTATUS, &regs); err != nil {
		return fmt.Errorf("reading the registers of thread %d: %w", tid, err)
	}
	regs.Regs[index] = value
	if err := unix.PtraceSetRegSetArm64(tid, unix.NT_PRSTATUS, &regs); err != nil {
		return fmt.Errorf("writing the registers of thread %d: %w", tid, err)
	}
	return nil
}

// skipCall turns the call at whose entry the thread is stopped into none. The
// kernel took the number from its register before the stop, so it has a
// register set of its own.
func skipCall(tid int) error {
	none := int32(-1)
	set := unix.Iovec{Base: (*byte)(unsafe.Pointer(&none)), Len: uint64(unsafe.Sizeof(none))}
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SETREGSET, uintptr(tid),
		unix.NT_ARM_SYSTEM_CALL, uintptr(unsafe.Pointer(&set)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("taking its system call from thread %d: %w", tid, errno)
	}
	return nil
}

// setReturn sets what the call from which the thread returns has returned.
func setReturn(tid int, value int64) error {
	return setReg(tid, 0, uint64(value))
}

// setArg sets an argument register. The first one is the return value too, so
// it must not be set when the call has returned.
func setArg(tid, index int, value uint64) error {
	return setReg(tid, index, value)
}
