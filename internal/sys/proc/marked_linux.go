package proc

import (
	"bytes"
	"os"
	"slices"
	"syscall"
	"time"
)

// endRounds bounds how often processes that start others while they are ended
// are looked for again.
const endRounds = 20

// longestWait is that for processes that were killed, in one round.
const longestWait = 100 * time.Millisecond

// EndMarked kills every process whose environment has an assignment, wherever
// it went, and returns their ids. It never kills the caller.
func EndMarked(mark string) []int {
	var ended []int
	for n := range endRounds {
		found := marked(mark)
		for _, pid := range found {
			if syscall.Kill(pid, syscall.SIGKILL) == nil && !slices.Contains(ended, pid) {
				ended = append(ended, pid)
			}
		}
		if len(found) == 0 {
			break
		}
		time.Sleep(min(time.Millisecond<<n, longestWait)) // one that was killed may take a moment to be gone
	}
	return ended
}

// marked lists the living processes that have an assignment in the environment
// they were started with.
func marked(mark string) []int {
	var pids []int
	var env []byte
	for _, pid := range listed() {
		if pid == os.Getpid() {
			continue
		}
		env = readProc(pid, "environ", env[:0])
		if bytes.Contains(env, []byte(mark)) && has(env, mark) {
			if _, alive := Started(pid); alive {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

func has(env []byte, mark string) bool {
	for one := range bytes.SplitSeq(env, []byte{0}) {
		if string(one) == mark {
			return true
		}
	}
	return false
}
