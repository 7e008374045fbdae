package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
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

// Fields of /proc/self/stat, counted from 1: the addresses of the initial environment.
const (
	envStart = 50
	envEnd   = 51
)

// largestEnviron bounds how much of it is read.
const largestEnviron = 8 << 20

// Conceal makes secret values of this process's initial environment unreadable for other processes:
// /proc/PID/environ shows that memory, whatever was unset since. It overwrites the values of
// variables for which secret returns true; os.Getenv still knows them. Then it closes the process
// to others of its user (no ptrace, no /proc/PID/mem, no core dump). For root's processes only the
// overwriting helps.
func Conceal(secret func(name string) bool) error {
	return errors.Join(overwriteEnviron(secret), unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}

func overwriteEnviron(secret func(name string) bool) error {
	if !slices.ContainsFunc(os.Environ(), func(v string) bool { name, value, _ := strings.Cut(v, "="); return value != "" && secret(name) }) {
		return nil
	}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return fmt.Errorf("finding the environment of this process: %w", err)
	}
	// The second field, a name in brackets, may contain anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < envEnd-2 {
		return errors.New("finding the environment of this process: the kernel does not show it")
	}
	from, err := strconv.ParseInt(string(fields[envStart-3]), 10, 64)
	if err != nil {
		return err
	}
	to, err := strconv.ParseInt(string(fields[envEnd-3]), 10, 64)
	if err != nil || from <= 0 || to <= from || to-from > largestEnviron {
		return err
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("hiding the environment of this process: %w", err)
	}
	defer mem.Close()
	environ := make([]byte, to-from)
	if _, err := mem.ReadAt(environ, from); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("hiding the environment of this process: %w", err)
	}
	at := 0
	for _, v := range bytes.Split(environ, []byte{0}) {
		if i := bytes.IndexByte(v, '='); i > 0 && len(v) > i+1 && secret(string(v[:i])) {
			if _, err := mem.WriteAt(bytes.Repeat([]byte{'*'}, len(v)-i-1), from+int64(at+i+1)); err != nil {
				return fmt.Errorf("hiding the environment of this process: %w", err)
			}
		}
		at += len(v) + 1
	}
	return nil
}
