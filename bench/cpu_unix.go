//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuWithChildren returns the CPU time of this process and of the children it has waited for.
func cpuWithChildren() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return cpu() + time.Duration(u.Utime.Nano()+u.Stime.Nano())
}

// cpu returns the CPU time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
