//go:build linux && (amd64 || arm64)

package ptrace

import (
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestCounting(t *testing.T) {
	least, most := 1<<30, 0
	for range 5 {
		res := trace(t, Fault{}, victim, "save", t.TempDir())
		if res.ExitCode != 0 || res.Hit != nil {
			t.Fatalf("counting changed the run: %+v", res)
		}
		least, most = min(least, res.Calls), max(most, res.Calls)
	}
	t.Logf("between %d and %d calls", least, most)
	if least <= 20 || most > 3*least {
		t.Errorf("between %d and %d calls in the same program", least, most)
	}
}

func TestCountingOfFileCallsIsExact(t *testing.T) {
	// Four times openat, write, fsync, renameat.
	for range 5 {
		dir := t.TempDir()
		res := trace(t, Fault{Match: All(ChangeCall, Under(dir))}, victim, "save", dir)
		if res.Calls != 16 {
			t.Fatalf("%d changing calls, want 16", res.Calls)
		}
	}
}

func TestOutputAndExitCode(t *testing.T) {
	res := trace(t, Fault{}, "sh", "-c", "echo out; echo err >&2; exit 7")
	if string(res.Stdout) != "out\n" || string(res.Stderr) != "err\n" || res.ExitCode != 7 {
		t.Errorf("stdout %q, stderr %q, exit code %d", res.Stdout, res.Stderr, res.ExitCode)
	}
}

func TestKillAroundRename(t *testing.T) {
	for _, after := range []bool{false, true} {
		dir := t.TempDir()
		name := filepath.Join(dir, "2")
		rename := func(c Call) bool { return c.Name == "renameat" && c.To == name }
		res := trace(t, Fault{At: 1, After: after, Match: rename}, victim, "save", dir)
		if res.ExitCode != 137 || res.Calls != 1 {
			t.Errorf("after=%v: exit code %d after %d calls, want 137 after 1", after, res.ExitCode, res.Calls)
		}
		if res.Hit == nil || res.Hit.Path != name+".tmp" || res.Hit.Name != "renameat" {
			t.Errorf("after=%v: hit %+v", after, res.Hit)
		}
		if exists(t, name) != after || exists(t, name+".tmp") == after {
			t.Errorf("after=%v: new name exists %v, old name exists %v",
				after, exists(t, name), exists(t, name+".tmp"))
		}
	}
}

func TestKillAtEveryChange(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			dir := t.TempDir()
			res := trace(t, Fault{At: at, After: after, Match: All(ChangeCall, Under(dir))}, victim, "save", dir)
			if res.Hit == nil {
				if at != 17 || res.ExitCode != 0 {
					t.Errorf("after=%v: the sweep ended at %d with exit code %d", after, at, res.ExitCode)
				}
				break
			}
			if res.ExitCode != 137 {
				t.Errorf("after=%v at=%d: exit code %d, want 137", after, at, res.ExitCode)
			}
			for i := range 4 {
				name := filepath.Join(dir, strconv.Itoa(i))
				if exists(t, name) && read(t, name) != "0123456789" {
					t.Errorf("after=%v at=%d: file %d is %q", after, at, i, read(t, name))
				}
			}
		}
	}
}

func TestKillAtEveryCallOfAnyKind(t *testing.T) {
	for at := 1; at <= 60; at++ {
		res := trace(t, Fault{At: at, After: at%2 == 0}, victim, "hello")
		if res.Hit == nil || res.ExitCode != 137 {
			t.Errorf("at=%d: hit %+v, exit code %d", at, res.Hit, res.ExitCode)
		}
	}
}

func TestErrnoIsReported(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "1.tmp")
	write := func(c Call) bool { return c.Name == "write" && c.Path == name }
	res := trace(t, Fault{At: 1, Errno: syscall.ENOSPC, Match: write}, victim, "save", dir)
	if res.ExitCode != 1 || !strings.Contains(string(res.Stderr), "no space left on device") {
		t.Errorf("exit code %d, stderr %q", res.ExitCode, res.Stderr)
	}
	if got := read(t, name); got != "" {
		t.Errorf("the failed write left %q", got)
	}
}

func TestErrnoStrikesOnce(t *testing.T) {
	// Package os repeats a write that was interrupted.
	dir := t.TempDir()
	write := func(c Call) bool { return c.Name == "write" && c.Path == filepath.Join(dir, "1.tmp") }
	res := trace(t, Fault{At: 1, Errno: syscall.EINTR, Match: write}, victim, "save", dir)
	if res.ExitCode != 0 || res.Calls != 2 || read(t, filepath.Join(dir, "1")) != "0123456789" {
		t.Errorf("exit code %d after %d writes", res.ExitCode, res.Calls)
	}
}

func TestShortWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	res := trace(t, Fault{At: 1, Short: true, Match: Under(name)}, victim, "raw", name)
	if string(res.Stdout) != "5\n" || read(t, name) != "01234" || res.ExitCode != 0 {
		t.Errorf("the program saw %q and left %q", res.Stdout, read(t, name))
	}
}

func TestShortVector(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	res := trace(t, Fault{At: 1, Short: true, Match: Under(name)}, victim, "vector", name)
	if string(res.Stdout) != "5\n10\n" || read(t, name) != "012340123456789" {
		t.Errorf("the program saw %q and left %q", res.Stdout, read(t, name))
	}
}

func TestTornWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	res := trace(t, Fault{At: 1, Short: true, After: true, Match: Under(name)}, victim, "raw", name)
	if res.ExitCode != 137 || len(res.Stdout) != 0 || read(t, name) != "01234" {
		t.Errorf("exit code %d, stdout %q, left %q", res.ExitCode, res.Stdout, read(t, name))
	}
}
