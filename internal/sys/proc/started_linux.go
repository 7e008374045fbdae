package proc

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// ownStart caches this process's own stamp. Every reading of a drive's state asks for it, some
// twenty times per chunk.
var ownStart atomic.Pointer[string]

// Started returns an opaque start stamp of a living process, which a later process with the same
// pid does not share, not even after a reboot. A zombie counts as gone. The stamp is "" if the
// process lives but its start is unknown.
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
		// Ticks since an unknown boot mean nothing.
		return "", true
	}
	stamp = strings.TrimSpace(string(boot)) + ":" + st.start
	if own {
		ownStart.Store(&stamp)
	}
	return stamp, true
}
