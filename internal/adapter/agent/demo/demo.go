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
	"strconv"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
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
