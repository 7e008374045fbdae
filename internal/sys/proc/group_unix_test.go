//go:build unix

package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// family is a shell, its child and grandchildren, each of which reports its pid
// and then waits for ever.
const family = `echo $$; sh -c 'echo $$; sleep 100000 & echo $!; wait' & sleep 100000 & echo $!; wait`

// deaf is a family in which nobody hears SIGTERM.
const deaf = `trap "" TERM; ` + family

// end runs a family, waits until all are there, calls act, and returns how it
// ended after checking that none of the family is left.
func end(ctx context.Context, t *testing.T, script string, limit <-chan time.Time, grace time.Duration, act func()) (Result, error) {
	t.Helper()
	c := Cmd{Argv: []string{"sh", "-c", script}, Log: logPath(t), Grace: grace}
	type ended struct {
		r   Result
		err error
	}
	done := make(chan ended, 1)
	go func() {
		r, err := run(ctx, limit, c)
		done <- ended{r, err}
	}()
	pids := pidsInLog(t, c.Log, 4)
	for _, pid := range pids {
		if _, alive := Started(pid); !alive {
			t.Errorf("%d of %v was gone too early", pid, pids)
		}
	}
	act()
	e := <-done
	for _, pid := range pids {
		eventually(t, "the end of the family", isGone(pid))
	}
	return e.r, e.err
}

func TestTimeOutEndsTheWholeGroup(t *testing.T) {
	limit := make(chan time.Time, 1)
	r, err := end(t.Context(), t, family, limit, patience, func() { limit <- time.Now() })
	if err != nil || !r.TimedOut || r.Exit != 128+int(syscall.SIGTERM) {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestTimeOutKillsThoseWhoDoNotHear(t *testing.T) {
	limit := make(chan time.Time, 1)
	r, err := end(t.Context(), t, deaf, limit, time.Millisecond, func() { limit <- time.Now() })
	if err != nil || !r.TimedOut || r.Exit != 128+int(syscall.SIGKILL) {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestTimeoutFieldIsTheLimit(t *testing.T) {
	r := mustRun(t, Cmd{Argv: []string{"sleep", "100000"}, Timeout: time.Millisecond})
	if !r.TimedOut || r.Exit != 128+int(syscall.SIGTERM) {
		t.Errorf("got %+v", r)
	}
}

func TestEndOfTheContextEndsTheWholeGroup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, err := end(ctx, t, family, nil, patience, cancel)
	if !errors.Is(err, context.Canceled) || r.TimedOut {
		t.Errorf("got %+v, %v", r, err)
	}
	if len(pidsIn(t, r.Stdout)) != 4 {
		t.Errorf("the output is lost: %q", r.Stdout)
	}
}

// The shell dies of SIGTERM; its child takes its time and must get it.
func TestGraceIsForTheWholeGroup(t *testing.T) {
	gate, open, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close()
	defer open.Close()
	// A background command has no standard input, hence descriptor 3.
	const script = `echo $$; exec 3<&0; sh -c 'trap "" TERM; echo $$; read x <&3; echo in order >&2' & wait`
	c := Cmd{Argv: []string{"sh", "-c", script}, Log: logPath(t), Grace: patience, Stdin: gate}
	limit := make(chan time.Time, 1)
	done := make(chan Result, 1)
	go func() {
		r, _ := run(t.Context(), limit, c)
		done <- r
	}()
	leader := pidsInLog(t, c.Log, 2)[0]
	limit <- time.Now()
	eventually(t, "the end of the leader", isGone(leader))
	if _, err := io.WriteString(open, "go\n"); err != nil {
		t.Fatal(err)
	}
	if r := <-done; string(r.Stderr) != "in order\n" || !r.TimedOut {
		t.Errorf("the child was not given the grace: %q", r.Output)
	}
}

func TestChildLeftBehindIsEnded(t *testing.T) {
	r := mustRun(t, Cmd{Argv: []string{"sh", "-c", `trap "" TERM; sleep 100000 & echo $!; exit 7`}, Grace: patience})
	pids := pidsIn(t, r.Stdout)
	if r.Exit != 7 || r.TimedOut || len(pids) != 1 {
		t.Fatalf("got %+v", r)
	}
	eventually(t, "the end of the child", isGone(pids[0]))
}

func TestProcessThatLeftTheGroupDoesNotBlock(t *testing.T) {
	c := self(t, "leave")
	r := mustRun(t, c)
	pids := pidsIn(t, r.Stdout)
	if r.Exit != 0 || len(pids) != 1 {
		t.Fatalf("got %+v", r)
	}
	// Were it gone, it would not have held the output.
	if _, alive := Started(pids[0]); !alive {
		t.Error("the process that left the group did not outlive it")
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	eventually(t, "the end of the process that left", isGone(pids[0]))
}

func TestSignalIsAnExitCode(t *testing.T) {
	for sig, want := range map[string]int{"KILL": 137, "TERM": 143, "USR1": 138} {
		if r := mustRun(t, Cmd{Argv: []string{"sh", "-c", "kill -" + sig + " $$"}}); r.Exit != want || r.TimedOut {
			t.Errorf("%s: %+v", sig, r)
		}
	}
}

// powerless stands for the group of another user, which we cannot signal.
type powerless struct{}

func (powerless) terminate() {}
func (powerless) kill()      {}
func (powerless) gone() bool { return false }
func (powerless) close()     {}

func TestProcessThatCannotBeKilledDoesNotBlock(t *testing.T) {
	c := exec.Command("sleep", "100000")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(exited)
	}()
	limit := make(chan time.Time, 1)
	limit <- time.Now()
	why, left := await(t.Context(), limit, nil, exited, powerless{}, time.Millisecond, time.Millisecond)
	if why != timeUp || !left {
		t.Errorf("got %v, %v", why, left)
	}
	if err := c.Process.Kill(); err != nil {
		t.Error(err)
	}
	<-exited
}
