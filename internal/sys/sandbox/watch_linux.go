package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// every is how often a run is measured.
const every = 500 * time.Millisecond

// Watch measures a run and what it started, and calls over with the reason when it
// uses more than its limits. It ends with the context.
func (l Limits) Watch(ctx context.Context, pid int, over func(why string)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if why := l.exceeded(measure(pid)); why != "" {
			over(why)
			return
		}
	}
}

type used struct {
	processes int
	memory    int64 // bytes
	written   int64
}

func (l Limits) exceeded(u used) string {
	switch {
	case l.Processes > 0 && u.processes > l.Processes:
		return fmt.Sprintf("it ran %d processes at once, more than %d (sandbox_processes)", u.processes, l.Processes)
	case l.MemoryMB > 0 && u.memory>>20 > int64(l.MemoryMB):
		return fmt.Sprintf("it used %d MB of memory, more than %d (sandbox_memory_mb)", u.memory>>20, l.MemoryMB)
	case l.DiskMB > 0 && u.written>>20 > int64(l.DiskMB):
		return fmt.Sprintf("it wrote %d MB to disk, more than %d (sandbox_disk_mb)", u.written>>20, l.DiskMB)
	}
	return ""
}

// measure adds up a process and its descendants. Written bytes of those that have
// ended are counted to the process that waited for them.
func measure(root int) (u used) {
	todo := []int{root}
	for len(todo) > 0 && u.processes < 1<<16 {
		pid := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], children(pid)...)
		dir := "/proc/" + strconv.Itoa(pid) + "/"
		if text, err := os.ReadFile(dir + "statm"); err == nil {
			u.processes++
			// Shared pages count once for each process that has them: a bound is
			// reached early rather than late.
			if f := strings.Fields(string(text)); len(f) > 2 {
				resident, _ := strconv.ParseInt(f[1], 10, 64)
				shared, _ := strconv.ParseInt(f[2], 10, 64)
				u.memory += (resident - shared) * int64(os.Getpagesize())
			}
		}
		if text, err := os.ReadFile(dir + "io"); err == nil {
			for line := range bytes.Lines(text) {
				if n, ok := bytes.CutPrefix(line, []byte("write_bytes: ")); ok {
					bytes, _ := strconv.ParseInt(strings.TrimSpace(string(n)), 10, 64)
					u.written += bytes
				}
			}
		}
	}
	return u
}

// children lists the processes that a process has started.
func children(pid int) (pids []int) {
	tasks, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task") // one that has ended has none
	for _, task := range tasks {
		text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/task/" + task.Name() + "/children")
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// terminateInside asks the program in a box to end. Bubblewrap itself does not pass
// signals on: it would end, and everything with it at once.
func terminateInside(pid int) {
	for _, first := range children(pid) { // the first process of the namespace, bubblewrap's
		for _, child := range children(first) {
			_ = syscall.Kill(child, syscall.SIGTERM)
		}
	}
}
