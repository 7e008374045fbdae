//go:build unix

package main

import (
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// watched runs a program and returns the most memory that it held, in megabytes.
// What the kernel charges to a child includes what its parent held when it made
// it, and we hold much: where the system tells of a process itself, that is
// looked at while it runs.
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
