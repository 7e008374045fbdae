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
func EndMarked(mark string) []int { return endMarked(mark, since{}) }

// endMarked looks at those alone that were started since a command was.
func endMarked(mark string, s since) []int {
	var ended []int
	for n := range endRounds {
		found := marked(mark, s)
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
func marked(mark string, s since) []int {
	var pids []int
	var env []byte
	all := listed() // first: all of them have their ids by then
	isYounger := s.younger()
	for _, pid := range all {
		if pid == os.Getpid() || !isYounger(pid) {
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

// since is when a command was started, in the order in which the kernel gives out ids; nothing:
// not known. What it has started is younger: to look at all processes of a machine took longer
// than to start the command.
type since struct {
	first int // the command's id
	forks int // how many processes there had ever been before
}

// younger tells the ids that were given out since. The kernel counts up to the highest and begins
// again; after so many that it may have come around, and where it does not tell, they are all.
func (s since) younger() func(pid int) bool {
	most, last, forks := readNumber("pid_max"), readNumber("ns_last_pid"), countForks()
	if s.first <= 0 || s.forks <= 0 || most <= 0 || last <= 0 || forks < s.forks || forks-s.forks > most/4 {
		return func(int) bool { return true }
	}
	after := func(pid int) int { return (pid - s.first + most) % most }
	return func(pid int) bool { return after(pid) <= after(last) }
}

// readNumber is a number of the kernel's; 0: it is not told.
func readNumber(name string) int {
	n, _ := strconv.Atoi(string(bytes.TrimSpace(readKernel("/proc/sys/kernel/"+name, nil))))
	return n
}

// countForks is how many processes and threads there have ever been on this machine; 0: it is
// not told.
func countForks() int {
	_, text, _ := bytes.Cut(readKernel("/proc/stat", nil), []byte("\nprocesses "))
	text, _, _ = bytes.Cut(text, []byte("\n"))
	n, _ := strconv.Atoi(string(text))
	return n
}

func has(env []byte, mark string) bool {
	for one := range bytes.SplitSeq(env, []byte{0}) {
		if string(one) == mark {
			return true
		}
	}
	return false
}
