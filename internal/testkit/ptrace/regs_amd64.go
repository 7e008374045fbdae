//go:build linux

package ptrace

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const nativeArch = unix.AUDIT_ARCH_X86_64

// changeRegs reads the registers of a stopped thread and writes them back
// changed.
func changeRegs(tid int, change func(*unix.PtraceRegs)) error {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return fmt.Errorf("reading the registers of thread %d: %w", tid, err)
	}
	change(&regs)
	if err := unix.PtraceSetRegs(tid, &regs); err != nil {
		return fmt.Errorf("writing the registers of thread %d: %w", tid, err)
	}
	return nil
}

// skipCall turns the call at whose entry the thread is stopped into none.
func skipCall(tid int) error {
	return changeRegs(tid, func(r *unix.PtraceRegs) { r.Orig_rax = ^uint64(0) })
}

// setReturn sets what the call from which the thread returns has returned.
func setReturn(tid int, value int64) error {
	return changeRegs(tid, func(r *unix.PtraceRegs) { r.Rax = uint64(value) })
}

// setArg sets an argument register.
func setArg(tid, index int, value uint64) error {
	return changeRegs(tid, func(r *unix.PtraceRegs) {
		*[6]*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.R10, &r.R8, &r.R9}[index] = value
	})
}
