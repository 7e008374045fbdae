package drive

import (
	"warp/internal/engine/agent"
	"warp/internal/engine/mind"
	"warp/internal/engine/step"
	"warp/internal/sys/sandbox"
	"warp/internal/turnstile"
)

// Mind is a session of an agent's, with a person in front of it or not, that does
// what needs a mind.
type Mind struct {
	step.Agents
	Who    func() turnstile.Mind // which it is now
	Judges bool                  // it has a subagent judge the work; else Agents do
}

func chooseAgents(e *Engine, name string) step.Agents {
	if name == mind.Name {
		return e.Mind
	}
	return e.Agents
}

// nameAgent is who is asked in a role: "" the configured agents.
func nameAgent(e *Engine, role agent.Role) string {
	if e.Mind != nil && (role != agent.Verify || e.Mind.Judges) {
		return mind.Name
	}
	return ""
}

// containment says how well those who change the work are contained: a session that is the
// mind is not in a sandbox of ours.
func containment(e *Engine) string {
	if e.Mind != nil {
		return string(sandbox.Not)
	}
	return string(e.Agents.Holds())
}

// guidingSession is the session that is the drive's mind; an empty one: there is none.
func guidingSession(e *Engine) turnstile.Mind {
	if e.Mind == nil {
		return turnstile.Mind{}
	}
	return e.Mind.Who()
}
