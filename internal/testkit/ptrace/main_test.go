//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// victim is the compiled program of testdata/victim.
var victim string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "ptrace-victim")
		if err != nil {
			fmt.Fprintln(os.Stderr, "making a folder for the victim:", err)
			return 1
		}
		defer os.RemoveAll(dir)
		victim = filepath.Join(dir, "victim")
		build := exec.Command("go", "build", "-o", victim, "./testdata/victim")
		if text, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the victim: %v\n%s", err, text)
			return 1
		}
		return m.Run()
	}())
}

// trace runs a program that must be traceable and leave nothing behind.
func trace(t *testing.T, f Fault, argv ...string) Result {
	t.Helper()
	res, err := Run(argv, t.TempDir(), nil, f)
	skipIfForbidden(t, err)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	nothingLeft(t)
	return res
}

func skipIfForbidden(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("NOTHING WAS TESTED: this machine does not permit ptrace: %v", err)
	}
}

// nothingLeft fails if the test process has a child of any kind.
func nothingLeft(t *testing.T) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it is gone
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent int
		if _, err := fmt.Sscan(rest, &state, &parent); err != nil {
			t.Fatalf("reading %s: %v", name, err)
		}
		if parent == os.Getpid() {
			t.Errorf("a process was left behind: %s", text)
		}
	}
}

func exists(t *testing.T, name string) bool {
	t.Helper()
	_, err := os.Lstat(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// BenchmarkRun is what a sweep over the calls of a program costs per call.
func BenchmarkRun(b *testing.B) {
	for name, match := range map[string]func(Call) bool{"all": nil, "files": FileCall} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := Run([]string{victim, "hello"}, "", nil, Fault{Match: match})
				skipIfForbidden(b, err)
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("untraced", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command(victim, "hello").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
