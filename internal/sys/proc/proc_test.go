package proc

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestExitCodeIsAResult(t *testing.T) {
	for code, arg := range map[int]string{0: "0", 1: "1", 42: "42", 255: "255"} {
		if r := mustRun(t, self(t, "exit", arg)); r.Exit != code || r.TimedOut {
			t.Errorf("exit %s: %+v", arg, r)
		}
	}
}

func TestOutputsAreKeptApartAndTogether(t *testing.T) {
	c := self(t, "say", "to out", "to err")
	c.Log = logPath(t)
	r := mustRun(t, c)
	if string(r.Stdout) != "to out" || string(r.Stderr) != "to err" {
		t.Errorf("got %q and %q", r.Stdout, r.Stderr)
	}
	if len(r.Output) != 12 || !strings.Contains(string(r.Output), "to out") || !strings.Contains(string(r.Output), "to err") {
		t.Errorf("together: %q", r.Output)
	}
	b, err := os.ReadFile(c.Log)
	if err != nil || string(b) != string(r.Output) || r.LogErr != nil {
		t.Errorf("log: %q, %v, %v; want %q", b, err, r.LogErr, r.Output)
	}
	if r.StdoutSize != 6 || r.StderrSize != 6 {
		t.Errorf("sizes: %d and %d", r.StdoutSize, r.StderrSize)
	}
}

func TestLogIsPrivateAndBeginsAnew(t *testing.T) {
	c := self(t, "say", "first, long", "")
	c.Log = logPath(t)
	mustRun(t, c)
	again := self(t, "say", "second", "")
	again.Log = c.Log
	mustRun(t, again)
	if b, err := os.ReadFile(c.Log); err != nil || string(b) != "second" {
		t.Errorf("log: %q, %v", b, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]fs.FileMode{c.Log: 0o600, filepath.Dir(c.Log): 0o700, filepath.Dir(filepath.Dir(c.Log)): 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %o", path, st.Mode(), err, want)
		}
	}
}

func TestLogThatCannotBeMadeIsAnErrorBeforeTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := self(t, "exit", "0")
	c.Log = filepath.Join(file, "out.log")
	if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), c.Log) {
		t.Errorf("got %v", err)
	}
}

func TestInputEnvironmentAndFolder(t *testing.T) {
	c := self(t, "cat")
	c.Stdin = strings.NewReader("given")
	if r := mustRun(t, c); string(r.Stdout) != "given" {
		t.Errorf("cat: %q", r.Stdout)
	}
	if r := mustRun(t, self(t, "cat")); len(r.Stdout) != 0 || r.Exit != 0 {
		t.Errorf("no input: %q, exit %d", r.Stdout, r.Exit)
	}
	c = self(t, "env")
	c.Env = []string{helperEnv + "=env", "GORACE=atexit_sleep_ms=0", "ONLY=this"}
	got := strings.Split(string(mustRun(t, c).Stdout), "\n")
	if !slices.Contains(got, "ONLY=this") || slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "PATH=") }) {
		t.Errorf("env: %q", got)
	}
	c = self(t, "pwd")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.Dir = dir
	if r := mustRun(t, c); string(r.Stdout) != dir {
		t.Errorf("pwd: %q, want %q", r.Stdout, dir)
	}
}

func TestInputThatNeverEndsDoesNotBlock(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	c := self(t, "exit", "3")
	c.Stdin = r
	if got := mustRun(t, c); got.Exit != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestNotFound(t *testing.T) {
	for _, name := range []string{"no-such-program-anywhere", filepath.Join(t.TempDir(), "missing"), "./missing"} {
		_, err := Run(t.Context(), Cmd{Argv: []string{name}, Dir: t.TempDir()})
		if !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := self(t, "exit", "0")
	c.Dir = filepath.Join(t.TempDir(), "missing")
	if _, err := Run(t.Context(), c); err == nil || errors.Is(err, exec.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	if _, err := Run(t.Context(), Cmd{}); err == nil {
		t.Error("no program: no error")
	}
}

func TestEndedContextStartsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := self(t, "say", "hello", "")
	c.Log = logPath(t)
	if _, err := Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(c.Log); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log was made: %v", err)
	}
}
