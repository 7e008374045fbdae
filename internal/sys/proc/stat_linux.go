package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// A stat holds the fields of /proc/PID/stat that we need.
type stat struct {
	state byte   // field 3
	group int    // field 5
	start string // field 22, in ticks since the start of the machine
	up    int    // field 4: the parent

	session, terminal int // fields 6 and 7
}

// zombie reports whether the process has ended and is only still listed.
func (s stat) zombie() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// parseStat parses a line of /proc/PID/stat. Field 2, the name, is free text in parentheses that
// may itself contain spaces, newlines and parentheses, so fields are counted from the last closing
// one.
func parseStat(line []byte) (stat, bool) {
	end := bytes.LastIndexByte(line, ')')
	if end < 0 {
		return stat{}, false
	}
	const first = 3 // the number of the first field after the name
	f := strings.Fields(string(line[end+1:]))
	if len(f) <= 22-first || len(f[3-first]) != 1 {
		return stat{}, false
	}
	group, err := strconv.Atoi(f[5-first])
	up, bad := strconv.Atoi(f[4-first])
	session, bad2 := strconv.Atoi(f[6-first])
	terminal, bad3 := strconv.Atoi(f[7-first])
	if err != nil || bad != nil || bad2 != nil || bad3 != nil {
		return stat{}, false
	}
	start := f[22-first]
	if _, err := strconv.ParseUint(start, 10, 64); err != nil {
		return stat{}, false
	}
	return stat{state: f[3-first][0], up: up, group: group, start: start, session: session, terminal: terminal}, true
}

// onlyZombies reports whether a process group has only zombies. It returns false if it cannot tell.
func onlyZombies(group int) bool {
	seen := false
	var line []byte
	for _, pid := range listed() {
		line = readProc(pid, "stat", line[:0])
		st, ok := parseStat(line) // fails if it has ended since
		if !ok || st.group != group {
			continue
		}
		if !st.zombie() {
			return false
		}
		seen = true
	}
	return seen
}

// listed returns the processes in /proc. It reads only that folder: a pattern such as /proc/*/stat
// reads every process's folder, which took a quarter of a drive's time.
func listed() (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // what could not be listed is not looked at
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// readProc reads a file about a process into a buffer. It returns nothing if the process is gone or
// another user's.
func readProc(pid int, file string, into []byte) []byte {
	return readKernel("/proc/"+strconv.Itoa(pid)+"/"+file, into)
}

// readKernel reads a file of the kernel's into a buffer.
func readKernel(path string, into []byte) []byte {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return into
	}
	defer syscall.Close(fd)
	for {
		if cap(into)-len(into) < 4096 {
			into = slices.Grow(into, 32<<10)
		}
		n, err := syscall.Read(fd, into[len(into):cap(into)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return into
		}
		into = into[:len(into)+n]
	}
}

// Look describes a running process.
func Look(pid int) (Process, bool) {
	if pid <= 0 {
		return Process{}, false
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, false
	}
	st, ok := parseStat(line)
	if !ok {
		return Process{}, false
	}
	start, _ := strconv.ParseUint(st.start, 10, 64) // parseStat has checked that it is a number
	name := line[bytes.IndexByte(line, '(')+1 : bytes.LastIndexByte(line, ')')]
	return Process{PID: pid, Parent: st.up, Session: st.session, Terminal: st.terminal, Start: start, Name: string(name)}, true
}

// Cgroup returns the control group of a process, "" if unknown. A process that leaves its session
// and parents is still in it.
func Cgroup(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	return string(text)
}

// TellsVariables reports whether HasVariable works on this system.
const TellsVariables = true

// HasVariable reports whether a process was started with a non-empty variable that starts with one
// of names. It cannot see processes of other users or those closed to others.
func HasVariable(pid int, names ...string) bool {
	for one := range bytes.SplitSeq(readProc(pid, "environ", nil), []byte{0}) {
		if slices.ContainsFunc(names, func(n string) bool { return len(one) > len(n) && bytes.HasPrefix(one, []byte(n)) }) {
			return true
		}
	}
	return false
}

// ownStart caches this process's own stamp. Every reading of a drive's state asks for it, some
// twenty times per chunk.
var ownStart atomic.Pointer[string]

// Started returns an opaque start stamp of a living process, which a later process with the same
// pid does not share, not even after a reboot. A zombie counts as gone. The stamp is "" if the
// process lives but its start is unknown.
func Started(pid int) (stamp string, alive bool) {
	if pid <= 0 {
		return "", false // to kill(2) these are groups
	}
	own := pid == os.Getpid()
	if known := ownStart.Load(); own && known != nil {
		return *known, true
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		// Gone, or hidden from us.
		return "", answers(pid)
	}
	st, ok := parseStat(line)
	if !ok {
		return "", answers(pid)
	}
	if st.zombie() {
		return "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		// Ticks since an unknown boot mean nothing.
		return "", true
	}
	stamp = strings.TrimSpace(string(boot)) + ":" + st.start
	if own {
		ownStart.Store(&stamp)
	}
	return stamp, true
}
