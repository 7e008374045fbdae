package proc

// Process is what the system tells of a process.
type Process struct {
	PID, Parent int
	Session     int    // the session's leader; 0: not known
	Terminal    int    // the controlling terminal's number; 0: none
	Start       uint64 // orders processes by their start; 0: not known
	Name        string
}

// mostAncestors bounds how far a lineage is followed.
const mostAncestors = 100

// Lineage lists a process and those that it descends from, the nearest first, as far
// as the system tells.
func Lineage(pid int) []Process {
	var line []Process
	for p, ok := Look(pid); ok && len(line) < mostAncestors; p, ok = Look(p.Parent) {
		line = append(line, p)
	}
	return line
}
