package drive

import (
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/engine/agent"
)

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
