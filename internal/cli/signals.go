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

// interruptible is a context that a signal ends, and a way to ask which did. A
// terminal that is closed, and a reader that goes away, end it as well.
func interruptible() (context.Context, func() os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// Caught, it does not end us: a write without a reader fails, and Run
	// ends in order. Ignored, it would be ignored by our children, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go quitAtOnce()
	var got atomic.Value
	go func() {
		got.Store(<-signals)
		cancel()
		time.Sleep(unhurried)
		signal.Stop(signals) // from now on a signal ends the process at once
		time.Sleep(patience - unhurried)
		fmt.Fprintf(os.Stderr, "warp: still running %v after the interrupt; exiting now, warp resume cleans up\n", patience)
		os.Exit(app.Terminated)
	}()
	return ctx, func() os.Signal {
		s, _ := got.Load().(os.Signal)
		return s
	}
}

// quitAtOnce exits at a SIGQUIT as a Go program does, with the stacks of all goroutines.
// Agents have sessions of their own and would live on: they are ended first.
func quitAtOnce() {
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	<-quit
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
