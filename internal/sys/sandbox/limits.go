package sandbox

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/sys/proc"
)

// Limits bounds a run's use of the machine; 0 means no limit.
type Limits struct {
	Processes int `json:"processes,omitempty"` // at once
	MemoryMB  int `json:"memory_mb,omitempty"` // of all its processes together
	FileMB    int `json:"file_mb,omitempty"`   // of one file, enforced by the kernel
	DiskMB    int `json:"disk_mb,omitempty"`   // growth of the disk, or bytes written
	OutputMB  int `json:"output_mb,omitempty"` // on stdout and stderr
}

// OverLimit means that a run was ended because it exceeded a limit.
type OverLimit struct{ Why string }

func (e OverLimit) Error() string { return e.Why }

// Run runs a command, and ends it if it exceeds the limits; the error is then an OverLimit. dirs
// are the folders that it writes to.
func (l Limits) Run(ctx context.Context, c proc.Cmd, dirs []string) (proc.Result, error) {
	if l == (Limits{}) {
		return proc.Run(ctx, c)
	}
	running, end := context.WithCancelCause(ctx)
	defer end(nil)
	over := func(why string) { end(OverLimit{why}) }
	started := c.Started
	grown := newGrowth(dirs)
	c.Started = func(pid int) {
		if started != nil {
			started(pid)
		}
		go l.watch(running, pid, grown, over)
	}
	if l.OutputMB > 0 {
		c.Said = func(size int64) {
			if size > int64(l.OutputMB)<<20 {
				over(fmt.Sprintf("it printed more than %d MB (sandbox_output_mb)", l.OutputMB))
			}
		}
	}
	res, err := proc.Run(running, c)
	var beyond OverLimit
	switch {
	case errors.Is(err, proc.ErrStuck): // it may still be running, which matters more
	case errors.As(context.Cause(running), &beyond) && ctx.Err() == nil:
		return res, beyond
	case err == nil && l.FileMB > 0 && res.Exit == diedOfFileSize:
		return res, OverLimit{l.tooLarge("a file")}
	}
	return res, err
}

// diedOfFileSize is the exit code of a program that exceeded the file size limit: 128 + SIGXFSZ.
const diedOfFileSize = 128 + 25

func (l Limits) tooLarge(what string) string {
	return fmt.Sprintf("it wrote more than %d MB to %s (sandbox_file_mb)", l.FileMB, what)
}

// DefaultLimits are far above what an agent and a test suite need, and well below what takes a
// machine down.
var DefaultLimits = Limits{Processes: 4096, MemoryMB: 16 << 10, FileMB: 4 << 10, DiskMB: 40 << 10, OutputMB: 256}
