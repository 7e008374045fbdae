package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// Started returns an opaque stamp of the start of a living process, which a
// later process with the same pid does not share. A zombie counts as gone. The
// stamp is "" when the process lives but its start is not to be known.
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

// onlyZombies is not looked into: launchd is quick.
func onlyZombies(int) bool { return false }
