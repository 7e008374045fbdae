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

// unhurried is how long what runs is given to end its own children: a second
// signal within it does not leave them behind.
const unhurried = 5 * time.Second

// patience is how long it is given to end by itself: a first signal always ends it,
// even if it hangs.
const patience = 2 * time.Minute

// brief are commands of warp that end within milliseconds and write through the store alone,
// which survives a kill: a signal ends them at once. Catching it would cost a tenth of their
// time, and hooks and scripts call them again and again.
var brief = []string{"state", "version"}

// interruptible is a context that a signal ends, and a way to ask which did. A
// terminal that is closed, and a reader that goes away, end it as well.
func interruptible() (context.Context, func() os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	signals, quit := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(quit, syscall.SIGQUIT)
	// Caught, it does not end us: a write without a reader fails, and Run
	// ends in order. Ignored, it would be ignored by our children, too.
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

// endLate ends a process that has not ended by itself after a signal.
func endLate(signals chan<- os.Signal) {
	time.Sleep(unhurried)
	signal.Stop(signals) // from now on a signal ends the process at once
	time.Sleep(patience - unhurried)
	fmt.Fprintf(os.Stderr, "warp: still running %v after the interrupt; exiting now, warp resume cleans up\n", patience)
	os.Exit(app.Terminated)
}

// quitAtOnce exits as a Go program does at a SIGQUIT, with the stacks of all goroutines.
// Agents have sessions of their own and would live on: they are ended first.
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

// sleepGap is how long warp may stand still before that counts as sleep; tests have no
// time for the usual one.
func sleepGap(getenv func(string) string) time.Duration {
	if gap, err := time.ParseDuration(getenv("WARP_SLEEP_GAP")); err == nil && gap > 0 {
		return gap
	}
	return proc.DefaultGap
}
