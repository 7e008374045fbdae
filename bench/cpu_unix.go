//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuWithChildren is the time that this process and those it has waited for have spent.
func cpuWithChildren() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return cpu() + time.Duration(u.Utime.Nano()+u.Stime.Nano())
}

// cpu is the time that this process has spent on a processor.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
