// Package demo is the built-in agent: a script that plays a coding agent, without a network and
// without a model. It runs in its own process, warp itself with a hidden command, so that
// everything done to an agent is done to it: the same pipes, groups, limits and budgets. The same
// input gives the same bytes.
//
// It does what the roles of a drive ask for, truthfully, unless told to misbehave: each switch is
// one way in which real agents have deceived, damaged or outrun the people who ran them. The
// engines must cope with that. How it plays loops, workflows and other agents in tests is in
// testkit/standin.
package demo

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
)

// Name is the agent's name.
const Name = "demo"

// Options configure the adapter.
type Options struct {
	Path      string           // warp's own program
	Version   string           // warp's release
	Misbehave string           // switches in addition to those in WARP_DEMO
	Now       func() time.Time // nil for the system's clock
}

// New creates the adapter.
func New(o Options) agent.Adapter {
	if o.Now == nil {
		o.Now = time.Now
	}
	return adapter{o}
}

type adapter struct{ o Options }

func (adapter) Name() string { return Name }

// Invoke ignores the schema: the agent knows what its roles answer.
func (a adapter) Invoke(t agent.Task, _ string, _ []byte) (agent.Invocation, error) {
	argv := []string{a.o.Path, "agent", Command}
	if a.o.Misbehave != "" {
		argv = append(argv, "--misbehave="+a.o.Misbehave)
	}
	if t.Session != "" {
		argv = append(argv, "--resume="+t.Session)
	}
	if t.MaxTurns > 0 {
		argv = append(argv, "--max-turns="+strconv.Itoa(t.MaxTurns))
	}
	if t.ReadOnly {
		argv = append(argv, "--read-only")
	}
	return agent.Invocation{Argv: argv, Stdin: t.Prompt}, nil
}

func (a adapter) Parser(agent.Task) agent.Parser { return &parser{now: a.o.Now} }

// Check always succeeds: the agent is part of the program that asks.
func (a adapter) Check(context.Context) agent.Health {
	in := true
	return agent.Health{Installed: true, Path: a.o.Path, Version: a.o.Version, LoggedIn: &in}
}

// Needs implements agent.Confined. The variable carries the switches.
func (adapter) Needs(agent.Task, []string) contain.Needs {
	return contain.Needs{Env: []string{"WARP_DEMO"}}
}

// Command is the hidden command under warp agent that runs the agent.
const Command = "demo-run"

// World is the environment of the agent's process.
type World struct {
	In     io.Reader
	Out    io.Writer
	Stdout *os.File // inherited by a process that outlives it; nil for none
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
