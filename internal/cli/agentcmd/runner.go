package agentcmd

import (
	"context"
	"fmt"
	"time"

	"warp/internal/cli/app"
	money "warp/internal/cli/cost"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/config"
	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/turnstile"
)

// configuredAgent returns the settings about agents; empty outside of a project.
func configuredAgent(a *app.App) (agentConfig, error) {
	d, err := a.Project()
	if err != nil {
		return agentConfig{}, nil
	}
	s, err := d.Project.Settings()
	if err == nil {
		err = s.Refused
	}
	return agentConfig{command: s.AgentCommand, root: d.Root()}, err
}

// OpenRunner returns the runner for a chain of agents (see Chain).
func OpenRunner(a *app.App, d *turnstile.Drive, s config.Settings, name, misbehave string) (*agent.Runner, error) {
	chain, err := Chain(s, d.Root(), name, misbehave)
	if err != nil {
		return nil, err
	}
	r, err := Runner(a, d, chain)
	if err == nil && name == "" { // who names an agent means it for all roles
		r.Own, err = RoleAgents(s, d.Root())
	}
	return r, err
}

// Runner returns the runner for these agents. It keeps its records with the drive, including
// what it waits for.
func Runner(a *app.App, d *turnstile.Drive, chain []agent.Adapter) (*agent.Runner, error) {
	return runnerFor(a, d, chain, d.Project.Settings)
}

// runnerFor is Runner with other settings.
func runnerFor(a *app.App, d *turnstile.Drive, chain []agent.Adapter, settings func() (config.Settings, error)) (*agent.Runner, error) {
	if hasDemo(chain) {
		if err := CheckDemo(a); err != nil {
			return nil, err
		}
	}
	table, err := money.Prices(a)
	if err != nil {
		return nil, err
	}
	r := &agent.Runner{
		Adapters: chain, Prices: table, Store: d.Store(), Now: a.Env.Now, Started: a.Env.Started, PID: a.Env.PID,
		Environ: a.AllEnviron(), Host: app.Hostname(),
		Wait: func(ctx context.Context, until time.Time, why string) error {
			if err := d.SetWaiting(until, why); err != nil {
				a.Note("%v", err) // only warp status shows less
			}
			defer func() { _ = d.SetWaiting(time.Time{}, "") }()
			return proc.WaitUntil(ctx, until, a.Env.Now)
		},
	}
	if len(chain) == 0 {
		return r, nil
	}
	s, err := settings()
	if err != nil {
		return nil, err
	}
	// A model belongs to the configured agent: a fallback, or a pipeline's agent, does not know
	// the name.
	r.Preset = func(name string, role agent.Role) (model, effort string) {
		switch own := s.RoleAgents.Own(string(role)); {
		case own != "" && own != s.Agent && name == own:
			model = s.Models.Own(string(role)) // the model of all roles is the other agent's
		case name == s.Agent && (own == "" || own == s.Agent):
			model = s.Models.Of(string(role))
		case name == s.Agent:
			model = s.Models["default"]
		}
		return model, s.Efforts.Of(string(role))
	}
	r.Walls, err = confine(a, d, s)
	return r, err
}

// confine puts agents into a sandbox, and notes if there is none.
func confine(a *app.App, d *turnstile.Drive, s config.Settings) (*contain.Walls, error) {
	w, why, err := sandboxes.Open(a, d.Root(), s)
	if err != nil {
		return nil, err
	}
	if h := w.Box.Holds(); h != sandbox.Contained && why != sandbox.Chosen {
		a.Note("agents are %s (%s); warp doctor says how to get a sandbox", h, why)
	}
	return w, nil
}

// EndLeft ends agents that a killed warp left running, before anything they could still change
// is read, and reports them.
func EndLeft(a *app.App, d *turnstile.Drive) (said []string, err error) {
	r, err := Runner(a, d, nil)
	if err != nil {
		return nil, err
	}
	left, err := r.EndLeftBehind()
	for _, l := range left {
		said = append(said, fmt.Sprintf("ended the agent %s (process %d), left running by a killed warp", l.Agent, l.PID))
	}
	if err != nil {
		return said, fmt.Errorf("looking for leftover agents: %w", err)
	}
	return said, nil
}

// ask runs a task after ending leftover agents: two in one work tree would undo each other's
// work.
func ask(ctx context.Context, r *agent.Runner, s *screen, t agent.Task) (agent.Result, error) {
	left, err := r.EndLeftBehind()
	if err != nil {
		return agent.Result{}, fmt.Errorf("looking for leftover agents: %w", err)
	}
	for _, l := range left {
		s.ended(l)
	}
	return r.Run(ctx, t)
}
