package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// endRounds bounds how often processes that start others while they are ended
// are looked for again.
const endRounds = 10

// EndMarked kills every process whose environment has an assignment, wherever
// it went, and returns their ids. It never kills the caller.
func EndMarked(mark string) []int {
	var ended []int
	for range endRounds {
		found := marked(mark)
		for _, pid := range found {
			if syscall.Kill(pid, syscall.SIGKILL) == nil && !slices.Contains(ended, pid) {
				ended = append(ended, pid)
			}
		}
		if len(found) == 0 {
			break
		}
	}
	return ended
}

// marked lists the living processes that have an assignment in the environment
// they were started with.
func marked(mark string) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	var pids []int
	for _, f := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(f)
		if err != nil { // gone, or somebody else's
			continue
		}
		if has(env, mark) {
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
