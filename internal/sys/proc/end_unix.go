//go:build unix

package proc

import "syscall"

// EndGroup kills a process group that another program started.
func EndGroup(leader int) {
	if leader > 1 {
		_ = syscall.Kill(-leader, syscall.SIGKILL)
		_ = syscall.Kill(leader, syscall.SIGKILL)
	}
}
