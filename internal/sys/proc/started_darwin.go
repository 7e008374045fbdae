package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

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
