//go:build unix

package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
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

// ownCPU runs a program and returns what its own process spent, without those that it ran;
// where the system does not tell, with them.
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
			spent = max(spent, spentBy(cmd.Process.Pid))
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

// spentBy is the time that a process has spent on processors; 0 where that is not told.
func spentBy(pid int) time.Duration {
	const perSecond = 100 // what the kernel counts in, wherever Go runs
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if err != nil || !ok || len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}

// holds is the most that a process has held so far; 0 where that is not told.
func holds(pid int) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kb, _ := strconv.ParseFloat(strings.TrimSpace(strings.SplitN(rest, "kB", 2)[0]), 64)
	return kb / (1 << 10)
}
