package sandbox

import (
	"bytes"
	"os"
)

// Within reports whether this process is in a box of ours that has its own processes.
// Nothing that a process inside can unset says so: the first process of the box was
// started by its command line, and the program that it runs is bound into it.
func Within() bool {
	if _, err := os.Lstat(insideSelf); err == nil {
		return true
	}
	line, err := os.ReadFile("/proc/1/cmdline")
	return err == nil && bytes.Contains(line, []byte("\x00"+insideSelf+"\x00"+insideCommand+"\x00"))
}
