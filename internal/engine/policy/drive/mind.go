package drive

import (
	"time"

	"warp/internal/core/drivestate"
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
	Offer  func(issue string)    // shows it the issue that is approved next; may be nil
}

func chooseAgents(e *Engine, name string) step.Agents {
	if name == mind.Name {
		return e.Mind.Agents
	}
	return e.Agents
}

// nameAgent returns who is asked in a role; "" means the configured agents. A session never writes or
// reads the checks of its own work.
func nameAgent(e *Engine, role agent.Role) string {
	if e.Mind != nil && role != agent.Check && role != agent.Choose && (role != agent.Verify || e.Mind.Judges) {
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

// effortOf returns an agent's reasoning effort: high for planning and judging, unless set
// otherwise. Verifying counts as testing even when the coding gate asks for it: "coding":
// "standard" is about the code.
func effortOf(t *turn, role agent.Role) string {
	phase := t.s.Phase
	if role == agent.Verify {
		phase = drivestate.Testing
	}
	if set := t.cfg.Reasoning[string(phase)]; set != "" {
		return set
	}
	if set := t.cfg.Efforts.Of(string(role)); set != "" {
		return set
	}
	if phase == drivestate.Planning || phase == drivestate.Testing {
		return "high"
	}
	return "standard"
}

// timeLeft returns the time limit of one run: the session's, and the phase's if that is enforced.
func (t *turn) timeLeft() time.Duration {
	limit := max(time.Minute, t.s.Used(t.Now()).SessionLeft(t.cfg.Limits)-t.earlierTime())
	if t.cfg.Limits.PhaseEnforcement != drivestate.Warn {
		limit = min(limit, time.Duration(t.cfg.Limits.PhaseMinutes)*time.Minute)
	}
	return limit
}
