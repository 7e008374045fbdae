//go:build !linux && !darwin

package proc

import "os"

// Look describes a running process. Here only our own parent is known, and
// whether we are read from a terminal.
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

// Cgroup is the control group of a process: there are none here.
func Cgroup(int) string { return "" }

// TellsVariables says that HasVariable can tell.
const TellsVariables = false

// HasVariable reports whether a process was started with a variable: unknown here.
func HasVariable(int, ...string) bool { return false }
