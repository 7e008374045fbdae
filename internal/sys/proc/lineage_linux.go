package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// Look tells of a process that there is.
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
	start, _ := strconv.ParseUint(st.start, 10, 64) // parseStat has seen that it is one
	name := line[bytes.IndexByte(line, '(')+1 : bytes.LastIndexByte(line, ')')]
	return Process{PID: pid, Parent: st.up, Session: st.session, Terminal: st.terminal, Start: start, Name: string(name)}, true
}

// Cgroup is the control group of a process, which a process that leaves its session and
// its parents still is in; "": not known.
func Cgroup(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	return string(text)
}

// TellsVariables says that HasVariable can tell.
const TellsVariables = true

// HasVariable reports whether a process was started with a variable that begins so and
// is not empty. What another user's process, or one
// that is closed to others, was started with is not known.
func HasVariable(pid int, names ...string) bool {
	for one := range bytes.SplitSeq(readProc(pid, "environ", nil), []byte{0}) {
		if slices.ContainsFunc(names, func(n string) bool { return len(one) > len(n) && bytes.HasPrefix(one, []byte(n)) }) {
			return true
		}
	}
	return false
}
