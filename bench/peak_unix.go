//go:build unix

package main

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// watched runs a program and returns its peak memory in megabytes. The kernel charges a child with
// what its parent held when it forked, and bench holds much; so where the system reports a
// process's own memory, that is polled while it runs.
func watched(cmd *exec.Cmd) (float64, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	over, most := make(chan struct{}), make(chan float64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		held := 0.0
		for {
			held = max(held, holds(cmd.Process.Pid))
			select {
			case <-over:
				most <- held
				return
			case <-tick.C:
			}
		}
	}()
	err := cmd.Wait()
	close(over)
	if held := <-most; held > 0 {
		return held, err
	}
	u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, err
	}
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss) / (1 << 20), err
	}
	return float64(u.Maxrss) / (1 << 10), err
}

// ownCPU runs a program and returns the CPU time of its own process without its children, or with
// them if the system does not separate them.
func ownCPU(cmd *exec.Cmd) (time.Duration, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	over, last := make(chan struct{}), make(chan time.Duration)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		spent := time.Duration(0)
		for {
			if own, _, err := spentBy(cmd.Process.Pid); err == nil {
				spent = max(spent, own)
			}
			select {
			case <-over:
				last <- spent
				return
			case <-tick.C:
			}
		}
	}()
	err := cmd.Wait()
	close(over)
	if spent := <-last; spent > 0 {
		return spent, err
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}
