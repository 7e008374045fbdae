package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"warp/internal/cli/app"
	"warp/internal/sys/proc"
)

// childGrace is the time to end child processes: a second signal within it does not orphan them.
const childGrace = 5 * time.Second

// exitGrace is the time to end in order: a first signal ends the process by then, even if it
// hangs.
const exitGrace = 2 * time.Minute

// briefCommands are commands that end within milliseconds and write only through the store, which
// survives a kill, so a signal ends them at once. Catching signals would cost a tenth of their
// time, and hooks and scripts call them often.
var briefCommands = []string{"state", "version"}

// interruptible returns a context that a signal ends, and a function that returns the signal. A
// closed terminal or a reader that is gone end it as well.
func interruptible() (context.Context, func() os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, quit := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(quit, syscall.SIGQUIT)
	// Caught, SIGPIPE does not end the process: the write fails, and Run ends in order. Ignored,
	// our children would ignore it too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	var got atomic.Value
	// One goroutine for both: each costs every start a thread.
	go func() {
		for {
			select {
			case s := <-signals:
				if got.CompareAndSwap(nil, s) {
					cancel()
					go endLate(signals)
				}
			case <-quit:
				quitAtOnce()
			}
		}
	}()
	return ctx, func() os.Signal {
		s, _ := got.Load().(os.Signal)
		return s
	}
}

// endLate ends a process that has not ended some time after a signal.
func endLate(signals chan<- os.Signal) {
	time.Sleep(childGrace)
	signal.Stop(signals) // from now on a signal ends the process at once
	time.Sleep(exitGrace - childGrace)
	fmt.Fprintf(os.Stderr, "warp: still running %v after the interrupt; exiting now, warp resume cleans up\n", exitGrace)
	os.Exit(app.Terminated)
}

// quitAtOnce exits as a Go program does on SIGQUIT, with the stacks of all goroutines. It ends
// agents first: they have their own sessions and would live on.
func quitAtOnce() {
	proc.EndAll()
	stacks := make([]byte, 64<<10)
	for n := runtime.Stack(stacks, true); ; n = runtime.Stack(stacks, true) {
		if n < len(stacks) {
			stacks = stacks[:n]
			break
		}
		stacks = make([]byte, 2*len(stacks))
	}
	fmt.Fprintf(os.Stderr, "SIGQUIT: quit\n\n%s", stacks)
	os.Exit(128 + int(syscall.SIGQUIT))
}

// sleepGap returns how long warp may stand still before that counts as sleep; tests use a
// shorter gap.
func sleepGap(getenv func(string) string) time.Duration {
	if gap, err := time.ParseDuration(getenv("WARP_SLEEP_GAP")); err == nil && gap > 0 {
		return gap
	}
	return proc.DefaultGap
}
