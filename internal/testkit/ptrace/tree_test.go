//go:build linux && (amd64 || arm64)

package ptrace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// gone fails if a process whose number a script wrote down still exists.
func gone(t *testing.T, file string) {
	t.Helper()
	pid := strings.TrimSpace(read(t, file))
	if pid == "" || exists(t, "/proc/"+pid) {
		t.Errorf("process %q of %s still exists", pid, filepath.Base(file))
	}
}

func TestKillTakesTheWholeTree(t *testing.T) {
	dir := t.TempDir()
	script := `cd "$0"; sleep 300 & echo $! >child
		setsid sh -c 'echo $$ >session; sleep 300' &
		while ! [ -s session ]; do sleep 0.01; done
		echo $$ >shell; touch old; mv old new; wait`
	rename := Named("rename", "renameat", "renameat2")
	res := trace(t, Fault{At: 1, Match: All(rename, Under(dir))}, "sh", "-c", script, dir)
	if res.ExitCode != 137 || res.Hit == nil || !exists(t, filepath.Join(dir, "old")) {
		t.Errorf("exit code %d, hit %+v, stderr %s", res.ExitCode, res.Hit, res.Stderr)
	}
	for _, name := range []string{"child", "session", "shell"} {
		gone(t, filepath.Join(dir, name))
	}
}

func TestSurvivorsDieWithTheFirstProcess(t *testing.T) {
	dir := t.TempDir()
	script := `cd "$0"; (setsid sh -c 'echo $$ >daemon; sleep 300' &)
		while ! [ -s daemon ]; do sleep 0.01; done; exit 3`
	res := trace(t, Fault{}, "sh", "-c", script, dir)
	if res.ExitCode != 3 {
		t.Errorf("exit code %d, stderr %s", res.ExitCode, res.Stderr)
	}
	gone(t, filepath.Join(dir, "daemon"))
}

func TestKillWhileForking(t *testing.T) {
	for range 20 {
		n := 0
		match := func(c Call) bool { n++; return n == 400 }
		res := trace(t, Fault{At: 1, Match: match}, "sh", "-c",
			`f() { while :; do (:) & done; }; f & f & while :; do (:); done`)
		if res.ExitCode != 137 {
			t.Errorf("exit code %d", res.ExitCode)
		}
	}
}

func TestExecFromAnotherThread(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	res := trace(t, Fault{}, victim, "exec", sh, "-c", "echo there; exit 4")
	if string(res.Stdout) != "there\n" || res.ExitCode != 4 {
		t.Errorf("stdout %q, exit code %d", res.Stdout, res.ExitCode)
	}
	execve := func(c Call) bool { return c.Name == "execve" && c.Path == sh }
	res = trace(t, Fault{At: 1, After: true, Match: execve}, victim, "exec", sh, "-c", "echo there")
	if len(res.Stdout) != 0 || res.ExitCode != 137 {
		t.Errorf("killed after exec: stdout %q, exit code %d", res.Stdout, res.ExitCode)
	}
}

func TestOwnStopsStayHidden(t *testing.T) {
	res := trace(t, Fault{}, victim, "child", victim, "hello")
	if string(res.Stdout) != "stopped: false\n" {
		t.Errorf("the program saw its child %q, stderr %q", res.Stdout, res.Stderr)
	}
}

func TestSignalsReachTheProgram(t *testing.T) {
	for script, want := range map[string]int{
		`trap 'exit 9' USR1; kill -USR1 $$; sleep 1`: 9,
		`kill -TERM $$; sleep 1`:                     128 + int(syscall.SIGTERM),
		`kill -STOP $$; exit 5`:                      5,
		`kill -TRAP $$; sleep 1`:                     128 + int(syscall.SIGTRAP),
		`kill -KILL 0`:                               137,
	} {
		if res := trace(t, Fault{}, "sh", "-c", script); res.ExitCode != want {
			t.Errorf("%s: exit code %d, want %d", script, res.ExitCode, want)
		}
	}
}

func TestLimit(t *testing.T) {
	began := time.Now()
	res, err := Run([]string{victim, "hang"}, "", nil, Fault{Limit: 300 * time.Millisecond})
	skipIfForbidden(t, err)
	if err == nil || res.ExitCode != 137 || time.Since(began) > 10*time.Second {
		t.Errorf("after %v: exit code %d, error %v", time.Since(began), res.ExitCode, err)
	}
	nothingLeft(t)
}

func TestMatchThatDoesNotReturn(t *testing.T) {
	_, err := Run([]string{victim, "hang"}, "", nil, Fault{Match: func(Call) bool { runtime.Goexit(); return true }})
	skipIfForbidden(t, err)
	if err == nil {
		t.Error("no error")
	}
	nothingLeft(t)
}

func TestRunsBesideEachOtherAndBesideExec(t *testing.T) {
	trace(t, Fault{}, victim, "hello") // so that a forbidden ptrace skips
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for at := 5; at < 30; at++ {
				res, err := Run([]string{victim, "hello"}, "", nil, Fault{At: at})
				if err != nil || res.Calls != at || res.ExitCode != 137 {
					t.Errorf("call %d: %d calls, exit code %d, error %v", at, res.Calls, res.ExitCode, err)
				}
			}
		})
		wait.Go(func() {
			for range 25 {
				out, err := exec.Command(victim, "hello").Output()
				if err != nil || string(out) != "hello\n" {
					t.Errorf("a command beside it printed %q, error %v", out, err)
				}
			}
		})
	}
	wait.Wait()
	nothingLeft(t)
}

func TestWhatCannotRun(t *testing.T) {
	if _, err := Run([]string{filepath.Join(t.TempDir(), "no")}, "", nil, Fault{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing program: %v", err)
	}
	for _, f := range []Fault{{At: -1}, {Errno: 1, Short: true}, {Errno: 1, After: true}, {Limit: -1}} {
		if _, err := Run([]string{victim, "hello"}, "", nil, f); err == nil {
			t.Errorf("no error for %+v", f)
		}
	}
	if _, err := Run(nil, "", nil, Fault{}); err == nil {
		t.Error("no error without a program")
	}
	nothingLeft(t)
}
