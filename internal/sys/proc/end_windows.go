package proc

import "os"

// EndGroup kills a process that another program started, without asking. What
// it has started itself died with its job.
func EndGroup(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill()
	}
}
