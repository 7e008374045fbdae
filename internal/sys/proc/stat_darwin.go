package proc

import (
	"bytes"
	"fmt"

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

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// Started returns an opaque start stamp of a living process, which a later process with the same
// pid does not share. A zombie counts as gone. The stamp is "" if the process lives but its start
// is unknown.
func Started(pid int) (stamp string, alive bool) {
	if pid <= 0 {
		return "", false // to kill(2) these are groups
	}
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return "", answers(pid)
	}
	if info.Proc.P_stat == zombie {
		return "", false
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), true
}

// onlyZombies returns false: launchd reaps quickly.
func onlyZombies(int) bool { return false }
