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

	"golang.org/x/sys/unix"
)

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
