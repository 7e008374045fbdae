package session

import (
	"context"
	"errors"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// installed is implemented by agents that can check that they are installed, loggedIn by those that
// can check their login.
type (
	installed interface{ CheckInstalled() error }
	loggedIn  interface{ CheckLogin(context.Context) error }
)

// checkAgents requires that all agents the session will ask are installed and logged in, before it
// starts. Iterations without an agent used to be recorded and counted.
func (r *run) checkAgents(ctx context.Context) error {
	var missing *agent.MissingError
	var was *sessionstate.State
	if v, err := Open(r.Store, r.Name).Read(); err == nil && r.Goes {
		was = v.Doc
	}
	for _, name := range agentNames(r.files.units, was) {
		agents, err := r.Agents(name)
		if err != nil {
			return err
		}
		if a, ok := agents.(installed); ok {
			if err := a.CheckInstalled(); errors.As(err, &missing) {
				return &step.StoppedError{Why: missing.Error(), Do: "install it, or choose another agent; warp agent check says what is missing"}
			}
		}
		if a, ok := agents.(loggedIn); ok {
			if err := a.CheckLogin(ctx); errors.As(err, &missing) {
				return &step.StoppedError{Why: missing.Error(), Do: "log in, then start it again; warp agent check shows the login"}
			}
		}
	}
	return nil
}

// agentNames returns the agents of the units that are not completed, each once.
func agentNames(units []unit, was *sessionstate.State) (names []string) {
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i, u := range units {
		if was != nil {
			if st, err := was.Stage(i); err == nil && (st.Status == sessionstate.Completed || st.Status == sessionstate.Skipped) {
				continue
			}
		}
		for _, j := range []*pipeline.Judge{u.stage.Judge, u.choice()} {
			if j != nil {
				add(j.Agent)
			}
		}
		if u.gathers == nil {
			add(u.stage.Agent)
		}
	}
	return names
}
