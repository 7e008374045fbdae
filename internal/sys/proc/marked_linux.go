package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// endRounds bounds how often to search again for processes that start others while being killed.
const endRounds = 20

// longestWait bounds the wait for killed processes in one round.
const longestWait = 100 * time.Millisecond

// EndMarked kills every process whose environment has an assignment, whatever its group or session,
// and returns their ids. It never kills the caller.
func EndMarked(mark string) []int { return endMarked(mark, since{}) }

// endMarked is EndMarked for processes started since a command was.
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
		time.Sleep(min(time.Millisecond<<n, longestWait)) // a killed process may take a moment to disappear
	}
	return ended
}

// marked lists the living processes that have an assignment in their initial environment.
func marked(mark string, s since) []int {
	var pids []int
	var env []byte
	all := listed() // first, while all of them have their ids
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

// since is when a command was started, in the order in which the kernel assigns ids; zero if
// unknown. Its descendants are younger: checking all processes of a machine took longer than
// starting the command.
type since struct {
	first int // the command's id
	forks int // how many processes there had ever been before
}

// younger returns a test for ids assigned since then. The kernel counts up to the highest id and
// starts again. If it may have wrapped around, or does not tell, all ids pass.
func (s since) younger() func(pid int) bool {
	most, last, forks := readNumber("pid_max"), readNumber("ns_last_pid"), countForks()
	if s.first <= 0 || s.forks <= 0 || most <= 0 || last <= 0 || forks < s.forks || forks-s.forks > most/4 {
		return func(int) bool { return true }
	}
	after := func(pid int) int { return (pid - s.first + most) % most }
	return func(pid int) bool { return after(pid) <= after(last) }
}

// readNumber reads a kernel setting, 0 if unavailable.
func readNumber(name string) int {
	n, _ := strconv.Atoi(string(bytes.TrimSpace(readKernel("/proc/sys/kernel/"+name, nil))))
	return n
}

// countForks returns how many processes and threads this machine has ever had, 0 if unavailable.
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
