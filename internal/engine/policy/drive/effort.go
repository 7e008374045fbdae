package drive

import (
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/engine/agent"
)

// effortOf is how hard an agent is to think in a phase: hard where it plans and
// judges, unless the settings say otherwise. Verifying belongs to testing, also where
// the gate of coding asks for it: "coding": "standard" is about the code.
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

// timeLeft bounds one run: by the phase where its limit is enforced, by the
// session always.
func (t *turn) timeLeft() time.Duration {
	limit := max(time.Minute, t.s.Used(t.Now()).SessionLeft(t.cfg.Limits)-t.earlierTime())
	if t.cfg.Limits.PhaseEnforcement != drivestate.Warn {
		limit = min(limit, time.Duration(t.cfg.Limits.PhaseMinutes)*time.Minute)
	}
	return limit
}
