//go:build unix

package proc

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func platformHelper(mode string) int {
	if mode != "leave" {
		return 99
	}
	// Starts a process that leaves the group and holds the output.
	c := exec.Command("sleep", "100000")
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		return 1
	}
	fmt.Println(c.Process.Pid)
	return 0
}

// patience bounds every wait in the tests. It is never a measure: a test passes
// as soon as what it waits for is there.
const patience = 30 * time.Second

// eventually polls until a condition holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-end.C:
			t.Fatalf("not in time: %s", what)
		}
	}
}

func isGone(pid int) func() bool {
	return func() bool {
		_, alive := Started(pid)
		return !alive
	}
}

// pidsInLog waits until a running command has reported n pids, one a line.
func pidsInLog(t *testing.T, log string, n int) []int {
	t.Helper()
	var pids []int
	eventually(t, fmt.Sprintf("%d pids in the log", n), func() bool {
		b, _ := os.ReadFile(log)
		if bytes.Count(b, []byte("\n")) < n {
			return false
		}
		pids = pidsIn(t, b)
		return true
	})
	return pids
}

func pidsIn(t *testing.T, b []byte) []int {
	t.Helper()
	var pids []int
	for _, f := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatalf("not a pid: %q in %q", f, b)
		}
		pids = append(pids, pid)
	}
	return pids
}
