package proc

// Process describes a process of the system.
type Process struct {
	PID, Parent int
	Session     int    // the session's leader; 0 if unknown
	Terminal    int    // the controlling terminal's number; 0 if none
	Start       uint64 // orders processes by start; 0 if unknown
	Name        string
}

// mostAncestors bounds how far Lineage goes.
const mostAncestors = 100

// Lineage lists a process and its ancestors, nearest first, as far as the system shows them.
func Lineage(pid int) []Process {
	var line []Process
	for p, ok := Look(pid); ok && len(line) < mostAncestors; p, ok = Look(p.Parent) {
		line = append(line, p)
	}
	return line
}
