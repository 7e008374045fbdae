package proc

import (
	"os"
	"strconv"
	"strings"
)

// Started returns an opaque stamp of the start of a living process, which a
// later process with the same pid does not share, not even after a restart of
// the machine. A zombie counts as gone. The stamp is "" when the process lives
// but its start is not to be known.
func Started(pid int) (stamp string, alive bool) {
	if pid <= 0 {
		return "", false // to kill(2) these are groups
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		// Gone, or hidden from us.
		return "", answers(pid)
	}
	st, ok := parseStat(line)
	if !ok {
		return "", answers(pid)
	}
	if st.zombie() {
		return "", false
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		// Ticks since an unknown start of the machine say nothing.
		return "", true
	}
	return strings.TrimSpace(string(boot)) + ":" + st.start, true
}
