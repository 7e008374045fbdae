package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"warp/internal/sys/proc"
)

// Command is the hidden command under warp agent that runs the agent.
const Command = "demo-run"

// World is the environment of the agent's process.
type World struct {
	In     io.Reader
	Out    io.Writer
	Stdout *os.File // inherited by a process that it leaves behind; nil for none
	Dir    string   // its working directory
	Getenv func(string) string
	Self   string // warp's own program
	// Wait waits for a duration; nil for a real wait.
	Wait func(context.Context, time.Duration) error
}

// options are the agent's own flags, which its adapter sets.
type options struct {
	misbehave, resume, orphan string
	maxTurns                  int
	readOnly                  bool
}

// Main runs the agent's process and returns the exit code.
func Main(ctx context.Context, w World, args []string) int {
	if w.Wait == nil {
		w.Wait = func(ctx context.Context, d time.Duration) error {
			return proc.WaitUntil(ctx, time.Now().Add(d), time.Now)
		}
	}
	o, err := parseOptions(args)
	if err == nil && o.orphan != "" {
		return runOrphan(ctx, w, o.orphan)
	}
	a := &Run{World: w, opts: o}
	if err == nil {
		a, err = newRun(w, o)
	}
	if err == nil {
		err = a.live(ctx)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errLimited):
		return 1
	case errors.Is(err, context.Canceled):
		return 130
	}
	a.print(Line{Type: typeError, Session: a.Session, Text: err.Error()})
	return 1
}

func parseOptions(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet(Command, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.misbehave, "misbehave", "", "")
	f.StringVar(&o.resume, "resume", "", "")
	f.StringVar(&o.orphan, "orphan", "", "")
	f.IntVar(&o.maxTurns, "max-turns", 0, "")
	f.BoolVar(&o.readOnly, "read-only", false, "")
	if err := f.Parse(args); err != nil {
		return o, fmt.Errorf("the demo agent's command line: %w", err)
	}
	return o, nil
}

// die ends the process as a kill would: no output, no cleanup.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
		time.Sleep(time.Minute) // the kill may arrive after the call returns
	}
	os.Exit(139)
}
