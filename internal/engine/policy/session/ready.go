package session

import (
	"context"
	"errors"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// installed are agents that know whether one of them can be started, loggedIn those that
// know whether it would be let in.
type (
	installed interface{ CheckInstalled() error }
	loggedIn  interface{ CheckLogin(context.Context) error }
)

// checkAgents wants a person where an agent, or its login, is missing that the session is
// going to ask, before anything is begun. Iterations without an agent used to be recorded, and
// counted.
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

// agentNames are the agents of the units that were not completed before, each once.
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
