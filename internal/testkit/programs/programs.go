//go:build unix

// Package programs has warp's programs as people install them, for tests that run
// them from outside, and finds what such a test has left running.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Build puts the programs into a folder. The demo agent of this warp-net also plays loops
// and workflows; nothing else is different.
func Build(dir string) error {
	if from := Built(); from != "" {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		return CopyTree(dir, from)
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", dir+"/", "warp/cmd/warp", "warp/internal/testkit/standin/warp-net", "warp/cmd/warp-hook", "warp/cmd/warp-ui")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building warp: %w\n%s", err, out)
	}
	return nil
}

// Environ is the environment of a terminal of a person: with a home folder of its
// own and programs before those of the machine, and without what the test itself was
// given by an agent, by git or by warp.
func Environ(home string, folders ...string) (env []string) {
	LeaveOutChecks(home)
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "CLAUDE") && !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "WARP_") && name != "HOME" && name != "PATH" {
			env = append(env, kv)
		}
	}
	path := strings.Join(append(folders, os.Getenv("PATH")), string(os.PathListSeparator))
	return append(env, "PATH="+path, "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
}

// LeaveOutChecks gives the user of a home folder settings, unless there are some: scripted agents
// write no contracts. Tests of checks set the project's.
func LeaveOutChecks(home string) {
	file := filepath.Join(home, ".config", "warp", "settings.json")
	if _, err := os.Lstat(file); err == nil {
		return
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		_ = os.WriteFile(file, []byte(`{"checks":"off"}`+"\n"), 0o644) // a test that needs it fails
	}
}

// Process is one that runs on this machine, as far as it may be looked at.
type Process struct {
	Env  []string
	Line string // its command line
	Dir  string // where it works
}

// Running are the processes that a function recognises: their command lines, by id.
func Running(recognise func(Process) bool) map[int]string {
	found := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range dirs {
		id, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || id == os.Getpid() {
			continue
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // of another user, or gone
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		at, _ := os.Readlink(filepath.Join(dir, "cwd"))
		p := Process{Env: strings.Split(string(env), "\x00"), Line: strings.ReplaceAll(string(line), "\x00", " "), Dir: at}
		if recognise(p) {
			found[id] = p.Line
		}
	}
	return found
}

// End ends the processes that a function recognises, and those that they start
// meanwhile.
func End(recognise func(Process) bool) {
	for left := Running(recognise); len(left) > 0; left = Running(recognise) {
		for id := range left {
			_ = syscall.Kill(id, syscall.SIGKILL) // gone already, perhaps
		}
	}
}

// CopyTree copies what is in a folder into another, with modes: keys and tokens are
// refused that others can read.
func CopyTree(to, from string) error {
	out, err := exec.Command("cp", "-a", from+"/.", to).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("copying %s: %w: %s", from, err, out)
	}
	return err
}
