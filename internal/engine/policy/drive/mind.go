package drive

import (
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
	"warp/internal/engine/step"
	"warp/internal/sys/sandbox"
	"warp/internal/turnstile"
)

// Mind is an agent's own session, attended or not, that does the work an engine's agents would do.
type Mind struct {
	step.Agents
	Who    func() turnstile.Mind // the session at the moment
	Judges bool                  // it has a subagent judge the work; else Agents do
}

func chooseAgents(e *Engine, name string) step.Agents {
	if name == mind.Name {
		return e.Mind
	}
	return e.Agents
}

// nameAgent returns who is asked in a role; "" means the configured agents.
func nameAgent(e *Engine, role agent.Role) string {
	if e.Mind != nil && (role != agent.Verify || e.Mind.Judges) {
		return mind.Name
	}
	return ""
}

// containment returns how well the agents that change the work are contained. A mind's session is
// not in our sandbox.
func containment(e *Engine) string {
	if e.Mind != nil {
		return string(sandbox.Not)
	}
	return string(e.Agents.Holds())
}

// guidingSession returns the session that is the drive's mind, or an empty one.
func guidingSession(e *Engine) turnstile.Mind {
	if e.Mind == nil {
		return turnstile.Mind{}
	}
	return e.Mind.Who()
}
