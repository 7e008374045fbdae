//go:build !linux && !darwin

package proc

import "os"

// Look describes a running process. On this system it only knows our own parent and whether we have
// a terminal.
func Look(pid int) (Process, bool) {
	if pid != os.Getpid() {
		return Process{}, false
	}
	p := Process{PID: pid, Parent: os.Getppid()}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.Terminal = 1
	}
	return p, true
}

// Cgroup returns "": this system has no control groups.
func Cgroup(int) string { return "" }

// TellsVariables reports whether HasVariable works on this system.
const TellsVariables = false

// HasVariable reports whether a process was started with a variable: unknown here.
func HasVariable(int, ...string) bool { return false }
