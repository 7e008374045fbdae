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

// every is the interval between measurements of a run.
const every = 500 * time.Millisecond

// watch measures a run and its descendants, and calls over with the reason if it exceeds its
// limits. It ends with the context.
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
		if why == "" && l.FileMB > 0 && n%4 == 0 { // it costs more than the rest
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
	memory    int64 // bytes, including its in-memory file systems
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

// measure adds up a process and its descendants. Bytes written by ended ones count for the process
// that waited for them. Pages that a fork shares count once for each process, so that a limit is
// reached early rather than late. Mapped files do not count: the kernel can drop them. Of shared
// memory the most that one process has counts, because all of them may have the same.
func measure(root int) (u used) {
	todo, shared := []int{root}, int64(0)
	for len(todo) > 0 && u.processes < 1<<16 {
		pid := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], children(pid)...)
		dir := "/proc/" + strconv.Itoa(pid) + "/"
		if text, err := os.ReadFile(dir + "status"); err == nil {
			u.processes++
			u.pids = append(u.pids, pid)
			u.memory += readKB(text, "RssAnon:")
			shared = max(shared, readKB(text, "RssShmem:"))
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
	u.memory += shared + inMemory(u.pids)
	return u
}

// readKB returns a number of kilobytes from /proc's status, in bytes.
func readKB(status []byte, name string) int64 {
	for line := range bytes.Lines(status) {
		if n, ok := bytes.CutPrefix(line, []byte(name)); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(n)), "kB")), 10, 64)
			return kb << 10
		}
	}
	return 0 // a zombie has none
}

// inMemory returns the size of a box's in-memory folders.
func inMemory(pids []int) (bytes int64) {
	for _, pid := range slices.Backward(pids) { // the first ones are bubblewrap's own, outside the box
		root := "/proc/" + strconv.Itoa(pid) + "/root"
		var inside, outside unix.Stat_t
		if unix.Stat(root, &inside) != nil || unix.Stat("/", &outside) != nil {
			continue
		}
		if inside.Dev == outside.Dev && inside.Ino == outside.Ino {
			return 0 // it has no file system of its own
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

// largeFile returns the reason if an open file has reached its size limit. The kernel stops it from
// growing, but a program may ignore that.
func (l Limits) largeFile(pids []int) string {
	for _, pid := range pids {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
		names, _ := os.ReadDir(dir) // an ended process has none
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

// writes reports from /proc/PID/fdinfo whether a file is open for writing.
func writes(info []byte) bool {
	for line := range bytes.Lines(info) {
		if text, ok := bytes.CutPrefix(line, []byte("flags:")); ok {
			flags, err := strconv.ParseInt(strings.TrimSpace(string(text)), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
}

// children lists the child processes of a process.
func children(pid int) (pids []int) {
	tasks, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task") // an ended process has none
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

// terminateInside sends SIGTERM once to the program in a box and to those of its descendants that
// are still in its group, or only to the program if it passes the signal on. Bubblewrap itself does
// not pass signals on: it would end, and everything with it at once.
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

// below lists the descendants of a process that are in a group.
func below(pid, group int) (pids []int) {
	for _, child := range children(pid) {
		if g, err := syscall.Getpgid(child); err == nil && g == group {
			pids = append(pids, child)
		}
		pids = append(pids, below(child, group)...)
	}
	return pids
}
