package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
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
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // what could not be listed cannot be ended
	var pids []int
	var env []byte
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		env = environ(pid, env[:0])
		if bytes.Contains(env, []byte(mark)) && has(env, mark) {
			if _, alive := Started(pid); alive {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// environ reads the environment that a process was started with into a buffer;
// nothing when it is gone, or another user's.
func environ(pid int, into []byte) []byte {
	fd, err := syscall.Open("/proc/"+strconv.Itoa(pid)+"/environ", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return into
	}
	defer syscall.Close(fd)
	for {
		if cap(into)-len(into) < 4096 {
			into = slices.Grow(into, 32<<10)
		}
		n, err := syscall.Read(fd, into[len(into):cap(into)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 || err != nil {
			return into
		}
		into = into[:len(into)+n]
	}
}

func has(env []byte, mark string) bool {
	for one := range bytes.SplitSeq(env, []byte{0}) {
		if string(one) == mark {
			return true
		}
	}
	return false
}
