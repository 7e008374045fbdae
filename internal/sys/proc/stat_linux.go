package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A stat is what we want to know of a line of /proc/PID/stat.
type stat struct {
	state byte   // field 3
	group int    // field 5
	start string // field 22, in ticks since the start of the machine
	up    int    // field 4: the parent

	session, terminal int // fields 6 and 7
}

// zombie says that the process has ended and is only still listed.
func (s stat) zombie() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

// parseStat reads such a line. Field 2, the name, is free text in parentheses
// that may itself hold spaces, line ends and parentheses, so the fields are
// counted from the last closing one.
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

// onlyZombies says that a process group was looked at and no process in it lives.
// Not being able to look proves nothing.
func onlyZombies(group int) bool {
	lines, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(lines) == 0 {
		return false
	}
	seen := false
	for _, name := range lines {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // ended since
		}
		st, ok := parseStat(line)
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
