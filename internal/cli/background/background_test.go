package background

import (
	"os"
	"strings"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// What runs in the background must not send itself there again.
func TestTheBackgroundIsNotSentToTheBackground(t *testing.T) {
	got := strings.Join(inForeground(strings.Fields("drive 7 --detach=1 --detach --ui=T --until=07:00 --detach=true")), " ")
	if got != "drive 7 --until=07:00" {
		t.Errorf("it runs %q", got)
	}
}

// What ends before it works was never in the background, however it ended.
func TestWhatEndsAtOnceHasItsExitCode(t *testing.T) {
	ended, late := make(chan int, 1), make(chan time.Time, 1)
	works := func() bool { return true }
	if _, over := awaitEnd(ended, late, works); over {
		t.Error("what works has ended")
	}
	late <- time.Now()
	if _, over := awaitEnd(ended, late, works); over {
		t.Error("what is still there has ended")
	}
	ended <- 13
	if code, over := awaitEnd(ended, late, works); code != 13 || !over {
		t.Errorf("exit code %d, %v", code, over)
	}
}

// A process that is refused holds no engine's lease, whatever it prints.
func TestAnEngineHasALease(t *testing.T) {
	d := turnstile.Open(t.TempDir(), turnstile.System())
	a := &app.App{Env: turnstile.System()}
	for _, lease := range []struct{ name, host string }{{"chat", ""}, {workflowstate.Lease, "elsewhere"}, {drivestate.Lease, ""}} {
		if hasLease(a, d, os.Getpid()) {
			t.Errorf("there is one before %s", lease.name)
		}
		if _, _, err := d.Store().Acquire(lease.name, durable.Process{PID: os.Getpid(), Host: lease.host}, proc.Started); err != nil {
			t.Fatal(err)
		}
	}
	if !hasLease(a, d, os.Getpid()) || hasLease(a, d, os.Getppid()) {
		t.Error("the engine is another")
	}
}
