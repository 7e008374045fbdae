package proc

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// Look describes a running process.
func Look(pid int) (Process, bool) {
	if pid <= 0 {
		return Process{}, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Process{}, false
	}
	p := Process{PID: pid, Parent: int(info.Eproc.Ppid), Start: uint64(info.Proc.P_starttime.Sec)*1e6 + uint64(info.Proc.P_starttime.Usec)}
	if info.Eproc.Tdev > 0 { // -1 means none
		p.Terminal = int(info.Eproc.Tdev)
	}
	name, _, _ := bytes.Cut(info.Proc.P_comm[:], []byte{0})
	p.Name = string(name)
	return p, true
}

// Cgroup returns "": this system has no control groups.
func Cgroup(int) string { return "" }

// TellsVariables reports whether HasVariable works on this system.
const TellsVariables = false

// HasVariable returns false: this system does not show the environment.
func HasVariable(int, ...string) bool { return false }
