package proc

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// ownStart is the stamp of this process, once it is known: it lives, and has one start. Every
// reading of a drive's state asks, some twenty in each chunk.
var ownStart atomic.Pointer[string]

// Started returns an opaque stamp of the start of a living process, which a
// later process with the same pid does not share, not even after a restart of
// the machine. A zombie counts as gone. The stamp is "" when the process lives
// but its start is not to be known.
func Started(pid int) (stamp string, alive bool) {
	if pid <= 0 {
		return "", false // to kill(2) these are groups
	}
	own := pid == os.Getpid()
	if known := ownStart.Load(); own && known != nil {
		return *known, true
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
	stamp = strings.TrimSpace(string(boot)) + ":" + st.start
	if own {
		ownStart.Store(&stamp)
	}
	return stamp, true
}
