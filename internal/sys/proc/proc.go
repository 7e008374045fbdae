// Package proc is the only starter of processes.
//
// It guarantees, for every command that it runs:
//
//   - The command leads its own process group, so a signal meant for it
//     reaches what it started and never reaches us.
//   - When Run returns, the whole group has been killed: after a SIGTERM and
//     a grace on a time-out or when the context ends, at once after an exit
//     of its own. A command that survives it is reported as ErrStuck. On
//     Windows a job object takes the place of the group.
//   - Run returns in bounded time after the command has ended or was told to
//     end, even when a process that left the group still holds its output.
//   - Memory is bounded whatever the amount of output; Cmd.Log keeps it whole.
//
// A non-zero exit is a result, not an error.
package proc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"time"
)

// Defaults for the zero values of Cmd's fields.
const (
	DefaultGrace = 2 * time.Second
	DefaultDrain = 500 * time.Millisecond
	DefaultKeep  = 64 << 10

	DefaultMaxLine = 16 << 20
)

// ErrStuck means that the command was killed but did not end: it belongs to another user, or hangs
// in the kernel. It may still be running.
var ErrStuck = errors.New("the process was killed but did not end")

// Cmd describes a command to run.
type Cmd struct {
	// Argv is the program and its arguments; there is no shell. A program without a slash is looked
	// up in our own PATH, not in that of Env.
	Argv []string
	Dir  string   // "" means our own
	Env  []string // nil means inherit
	// Stdin is empty if nil. An *os.File is passed on directly. Any other reader is copied; if the
	// command ends first, a Read in progress is not waited for, so the reader must not be used
	// again.
	Stdin   io.Reader
	Timeout time.Duration // 0 means none; time asleep does not count, nor for Idle
	// More is called when the time is up and returns how much longer the command may take. If it is
	// nil or returns 0, the command is ended.
	More  func() time.Duration
	Grace time.Duration // between SIGTERM and SIGKILL to the group; 0 means DefaultGrace
	// Drain is how long output may stay silent after the command has ended before we stop listening
	// to a process that holds it open. One that never falls silent gets ten times as long. 0 means
	// DefaultDrain.
	Drain time.Duration
	// Log is a file that gets all of stdout and stderr as they arrive, readable while the command
	// runs. It is created 0600, its parents 0700, and truncated. "" means no log.
	Log string
	// Clean, if not nil, filters what is written to Log: it gets whole lines of one output, if
	// there are any, and returns what to write instead.
	Clean func([]byte) []byte
	// Keep is how many of the last bytes of stdout, of stderr and of both together stay in memory.
	// 0 means DefaultKeep.
	Keep int
	// Line gets each line of stdout as it arrives, without its end, one after the other. The bytes
	// are valid only during the call. A line longer than MaxLine is skipped.
	Line    func([]byte)
	MaxLine int // 0 means DefaultMaxLine
	// Idle ends the command after this time without output on stdout. 0 means never.
	Idle time.Duration
	// Said is called, as output arrives, with the number of bytes on both outputs.
	Said func(size int64)
	// Started gets the command's process id once it runs.
	Started func(pid int)
	// Terminate asks the command to end, given its process id. If nil, its group gets a SIGTERM.
	Terminate func(pid int)
	// Mark is an assignment, NAME=value, added to the command's environment. Every process that
	// inherited it and is still there after the end, in whatever group or session, is killed. This
	// works only on Linux.
	Mark string
	// IsMarkNew means that no earlier process has the mark, so only later ones are checked.
	IsMarkNew bool
	// InTerminal leaves the command in our session, so that it counts as started from our terminal.
	// It is for programs of ours that a person controls through this one.
	InTerminal bool
}

// Result is how a command ended.
type Result struct {
	Exit     int // 128+signal if a signal ended it; -1 with ErrStuck
	TimedOut bool
	Silent   bool          // ended because of Cmd.Idle
	Orphans  int           // processes with Cmd.Mark that left the group and were killed
	LongLine int           // number of skipped lines
	Duration time.Duration // of the command itself, without time asleep
	// Stdout and Stderr are the last bytes of each. Output is the last bytes of both in the order
	// in which they were read, which is close to the order in which they were written.
	Stdout, Stderr, Output []byte
	// StdoutSize and StderrSize count what was written, so that a reader of the bounded copies
	// knows whether they are complete.
	StdoutSize, StderrSize int64
	LogErr                 error // why Log is incomplete; nil if it is not
}

// Run runs a command to its end. The error is nil unless the command could not be started (not
// found: errors.Is(err, exec.ErrNotFound)), the context ended (errors.Is(err, ctx.Err())), or the
// command could not be ended (ErrStuck). In the last two cases the Result holds what is known.
func Run(ctx context.Context, c Cmd) (Result, error) {
	over := make(chan struct{})
	defer close(over)
	return run(ctx, c.limit(over), c)
}

// limit returns a channel that fires when the command's time, including extensions, is up. nil
// means never.
func (c *Cmd) limit(over <-chan struct{}) <-chan time.Time {
	if c.Timeout <= 0 {
		return nil
	}
	up := make(chan time.Time, 1)
	go func() {
		t := newAwakeTimer(c.Timeout)
		defer t.Stop()
		for {
			select {
			case <-over:
				return
			case at := <-t.C:
				if t.isEarly() {
					continue
				}
				more := time.Duration(0)
				if c.More != nil {
					more = c.More()
				}
				if more <= 0 {
					up <- at
					return
				}
				t.reset(more)
			}
		}
	}()
	return up
}

// run is Run with a time limit that tests can fire at the right moment.
func run(ctx context.Context, limit <-chan time.Time, c Cmd) (Result, error) {
	c.Grace, c.Drain, c.Keep = cmp.Or(c.Grace, DefaultGrace), cmp.Or(c.Drain, DefaultDrain), cmp.Or(c.Keep, DefaultKeep)
	if err := c.check(ctx); err != nil {
		return Result{}, err
	}
	out, err := newSink(c.Log, c.Keep, c.Clean)
	if err != nil {
		return Result{}, fmt.Errorf("keeping the output of %s: %w; make %s writable or choose another place", c.Argv[0], err, c.Log)
	}
	out.said = c.Said
	defer out.close()

	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = c.Dir, c.marked(), ownGroup(c.InTerminal)
	lines := newLiner(c.Line, c.MaxLine)
	p, err := attach(cmd, c.Stdin, out, lines)
	if err != nil {
		return Result{}, fmt.Errorf("making pipes for %s: %w; too many files may be open", c.Argv[0], err)
	}
	defer p.close()
	begin, before := time.Now(), stalled()
	forks := 0
	if c.IsMarkNew {
		forks = countForks()
	}
	started, err := running.start(cmd, c.Mark)
	if err != nil {
		return Result{}, startError(c, err)
	}
	p.start()
	g := started.group
	defer g.close()
	if c.Terminate != nil {
		g = gentle{g, func() { c.Terminate(cmd.Process.Pid) }}
	}
	if c.Started != nil {
		c.Started(cmd.Process.Pid)
	}
	exited := make(chan struct{})
	go func() {
		// The state has everything; the error only repeats it.
		_ = cmd.Wait()
		close(exited)
	}()

	over := make(chan struct{})
	defer close(over)
	why, left := await(ctx, limit, lines.silence(c.Idle, over), exited, g, c.Grace, stuckAfter)
	running.remove(started)
	res := Result{Exit: -1, TimedOut: why == timeUp, Silent: why == fellSilent, Duration: time.Since(begin) - (stalled() - before)}
	if !left {
		res.Exit = ExitCode(cmd.ProcessState)
	}
	if c.Mark != "" {
		res.Orphans = len(endMarked(c.Mark, since{cmd.Process.Pid, forks}))
	}
	p.drain(out, c.Drain)
	lines.end(&res)
	out.fill(&res)
	switch {
	case left:
		return res, fmt.Errorf("ending %s (pid %d): %w; end it by hand", c.Argv[0], cmd.Process.Pid, ErrStuck)
	case why == ctxEnded:
		return res, fmt.Errorf("%s was ended before it finished: %w", c.Argv[0], ctx.Err())
	}
	return res, nil
}

// marked returns the command's environment with its mark.
func (c *Cmd) marked() []string {
	if c.Mark == "" {
		return c.Env
	}
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	return append(slices.Clone(env), c.Mark)
}

func (c *Cmd) check(ctx context.Context) error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("starting a process: no program was named")
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s was not started: %w", c.Argv[0], err)
	}
	if c.Dir == "" {
		return nil
	}
	// The kernel's «no such file» does not say whether the folder or the program is missing.
	if st, err := os.Stat(c.Dir); err != nil {
		return fmt.Errorf("starting %s: its folder cannot be used: %w", c.Argv[0], err)
	} else if !st.IsDir() {
		return fmt.Errorf("starting %s: %s is not a folder; name one", c.Argv[0], c.Dir)
	}
	return nil
}

// startError makes «not found» one error, whether the program was looked up in PATH or given as a
// path that does not exist.
func startError(c Cmd, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w (%w)", exec.ErrNotFound, err)
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("starting %s: %w; install it or correct its name", c.Argv[0], err)
	}
	return fmt.Errorf("starting %s: %w; check that it is an executable program", c.Argv[0], err)
}
