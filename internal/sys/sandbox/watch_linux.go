package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// every is how often a run is measured.
const every = 500 * time.Millisecond

// watch measures a run and what it started, and calls over with the reason when it
// uses more than its limits. It ends with the context.
func (l Limits) watch(ctx context.Context, pid int, grown growth, over func(why string)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		u := measure(pid)
		u.written = max(u.written, grown.beyond(l.DiskMB))
		why := l.exceeded(u)
		if why == "" && l.FileMB > 0 && n%4 == 0 { // dearer than the rest
			why = l.largeFile(u.pids)
		}
		if why != "" {
			over(why)
			return
		}
	}
}

type used struct {
	pids      []int
	processes int
	memory    int64 // bytes, with those of its own file systems in memory
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
			u.pids = append(u.pids, pid)
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
	u.memory += inMemory(u.pids)
	return u
}

// inMemory is what the folders of a box that are kept in memory hold.
func inMemory(pids []int) (bytes int64) {
	for _, pid := range slices.Backward(pids) { // the first are bubblewrap's own, outside of the box
		root := "/proc/" + strconv.Itoa(pid) + "/root"
		var inside, outside unix.Stat_t
		if unix.Stat(root, &inside) != nil || unix.Stat("/", &outside) != nil {
			continue
		}
		if inside.Dev == outside.Dev && inside.Ino == outside.Ino {
			return 0 // no file system of its own
		}
		for _, dir := range []string{"/tmp", "/var/tmp", "/dev"} {
			var fs unix.Statfs_t
			if unix.Statfs(root+dir, &fs) == nil && fs.Type == unix.TMPFS_MAGIC {
				bytes += int64(fs.Blocks-fs.Bfree) * fs.Bsize
			}
		}
		return bytes
	}
	return 0
}

// largeFile names an open file that has reached the bound of one. The kernel refuses to
// let it grow, which a program may not mind.
func (l Limits) largeFile(pids []int) string {
	for _, pid := range pids {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
		names, _ := os.ReadDir(dir) // one that has ended has none
		for _, name := range names {
			st, err := os.Stat(dir + name.Name())
			if err != nil || !st.Mode().IsRegular() || st.Size() < int64(l.FileMB)<<20 {
				continue
			}
			if flags, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/fdinfo/" + name.Name()); err != nil || !writes(flags) {
				continue
			}
			file, _ := os.Readlink(dir + name.Name())
			return l.tooLarge(file)
		}
	}
	return ""
}

// writes tells by /proc/PID/fdinfo whether a file was opened to be written to.
func writes(info []byte) bool {
	for line := range bytes.Lines(info) {
		if text, ok := bytes.CutPrefix(line, []byte("flags:")); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(string(text)), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
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

// terminateInside asks the program in a box to end, and what it has started and has not
// left its group, each once; or the program alone, where another passes that on to it.
// Bubblewrap itself does not pass signals on: it would end, and everything with it at once.
func terminateInside(pid int, passesOn bool) {
	for _, first := range children(pid) { // the first process of the namespace, bubblewrap's
		asked := children(first)
		if !passesOn {
			for _, child := range asked {
				asked = append(asked, below(child, pid)...)
			}
		}
		for _, one := range asked {
			_ = syscall.Kill(one, syscall.SIGTERM)
		}
	}
}

// below lists what a process has started, and what that has, as far as it is in a group.
func below(pid, group int) (pids []int) {
	for _, child := range children(pid) {
		if g, err := syscall.Getpgid(child); err == nil && g == group {
			pids = append(pids, child)
		}
		pids = append(pids, below(child, group)...)
	}
	return pids
}
