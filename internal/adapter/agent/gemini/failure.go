package gemini

import (
	"strings"

	"warp/internal/core/errorclass"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// Exit codes before any event.
const (
	noLogin    = 41
	notTrusted = 55
)

// explainNoStart sets why it did not start.
func explainNoStart(r *agent.Result, exit int, stderr string) {
	r.End, r.Class, r.Why = agent.NoLogin, errorclass.Permission, agent.LastLine(stderr)
	if exit == notTrusted {
		r.Why += "; trust the folder: start gemini in it once, or set GEMINI_CLI_TRUST_WORKSPACE=true"
		return
	}
	r.Why += "; set GEMINI_API_KEY, or start gemini once and log in"
}

// statuses lists the statuses that the CLI exits with, modulo 256.
var statuses = []int{400, 401, 403, 404, 408, 429, 499, 500, 502, 503, 504, 529}

// fail sets why a run failed according to its result event. The texts are the CLI's own.
func (p *parser) fail(r *agent.Result, exit int) {
	said := p.outcome.Get("error").Get("message").Text()
	if said == "" {
		said = p.error
	}
	r.Why = text.Clip(strings.TrimSpace(said), 300)
	status := 0
	for _, s := range statuses {
		if exit != 0 && s%256 == exit {
			status = s
		}
	}
	switch {
	case strings.Contains(said, "blocked due to safety") || strings.Contains(said, "prohibited content"):
		r.End = agent.Refused
	case strings.Contains(said, "exhausted your") && strings.Contains(said, "quota"):
		r.End = agent.Limited
	case status != 0 || strings.HasPrefix(said, "[API Error:") || strings.Contains(said, "Model stream ended"):
		r.End, r.Class = agent.Refusal(status, said)
	default:
		r.End = agent.Crashed
	}
	if r.End == agent.NoLogin {
		r.Why += "; set GEMINI_API_KEY, or start gemini once and log in"
	}
}
