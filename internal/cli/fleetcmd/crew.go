package fleetcmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// crew is the workers of warp-fleet up, each its own process.
type crew struct {
	options *upOptions
	out     io.Writer
	running sync.WaitGroup
	mu      sync.Mutex
	pools   map[string]bool // pools that have their workers
	pids    map[int]bool
}

// hire starts workers for the pools that have none yet, and returns how many.
func (c *crew) hire(ctx context.Context, pools []fleetfile.Pool) (hired int) {
	for _, p := range pools {
		if c.pools[p.Label] {
			continue
		}
		c.pools[p.Label] = true
		for n := range c.options.workers {
			hired++
			c.running.Go(func() { c.keep(ctx, p, n) })
		}
	}
	return hired
}

// keep runs a worker and restarts it when it dies; its work continues there or elsewhere.
func (c *crew) keep(ctx context.Context, p fleetfile.Pool, n int) {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintf(c.out, "no worker can be started: %v\n", err)
		return
	}
	name := fmt.Sprintf("%s-%s-%d", app.Hostname(), p.Label, n+1)
	argv := append([]string{self, "worker", "--name", name, "--pool", p.Label}, c.options.workerFlags()...)
	said := ""
	for ctx.Err() == nil {
		began, why := time.Now(), ""
		var pid int
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Grace: 24 * time.Hour, Started: func(id int) { pid = id; c.note(id, true) }})
		c.note(pid, false)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			why = err.Error()
		case res.Exit == 0:
			fmt.Fprintf(c.out, "worker %s was drained and has left; the next warp-fleet up restarts it\n", name)
			return
		default:
			why = describeExit(res)
		}
		if why != said || time.Since(began) > time.Minute { // while the worker of a killed warp-fleet up lives, the reason stays the same
			printLine(c.out, "restarting worker %s: %s", name, why)
			said = why
		}
		_ = app.Sleep(ctx, max(0, 5*time.Second-time.Since(began)))
	}
}

// describeExit describes how a worker ended unexpectedly.
func describeExit(res proc.Result) string {
	if words := text.LastLine(string(res.Stderr)); words != "" && res.Exit < 128 {
		return strings.TrimPrefix(words, "warp-fleet: ")
	}
	if res.Exit > 128 {
		return fmt.Sprintf("it was killed by signal %d", res.Exit-128)
	}
	return fmt.Sprintf("it ended with exit code %d", res.Exit)
}

func (c *crew) note(pid int, runs bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pids, pid)
	if runs {
		c.pids[pid] = true
	}
}

// endNow interrupts the workers a second time, which ends their agents.
func (c *crew) endNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for pid := range c.pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Signal(syscall.SIGTERM)
		}
	}
}

// size returns the number of running workers.
func (c *crew) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pids)
}
