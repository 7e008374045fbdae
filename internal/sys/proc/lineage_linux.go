package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

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
