package proc

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// Look tells of a process that there is.
func Look(pid int) (Process, bool) {
	if pid <= 0 {
		return Process{}, false
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return Process{}, false
	}
	p := Process{PID: pid, Parent: int(info.Eproc.Ppid), Start: uint64(info.Proc.P_starttime.Sec)*1e6 + uint64(info.Proc.P_starttime.Usec)}
	if info.Eproc.Tdev > 0 { // -1: none
		p.Terminal = int(info.Eproc.Tdev)
	}
	name, _, _ := bytes.Cut(info.Proc.P_comm[:], []byte{0})
	p.Name = string(name)
	return p, true
}

// Cgroup is the control group of a process: there are none here.
func Cgroup(int) string { return "" }

// TellsVariables says that HasVariable can tell.
const TellsVariables = false

// HasVariable reports whether a process was started with a variable: unknown here.
func HasVariable(int, ...string) bool { return false }
