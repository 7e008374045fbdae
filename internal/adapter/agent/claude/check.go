package claude

import (
	"context"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// patience suits a program that starts in a fraction of a second.
const patience = 20 * time.Second

// Check implements agent.Adapter. It asks Claude Code for its version and login, which is free.
func (a adapter) Check(ctx context.Context) agent.Health {
	h, works := agent.FindProgram(ctx, a.path, patience, "Claude Code", "npm install -g @anthropic-ai/claude-code")
	if !works {
		return h
	}
	h.Version, _, _ = strings.Cut(h.Version, " ")
	login, err := proc.Run(ctx, proc.Cmd{Argv: []string{h.Path, "auth", "status"}, Timeout: patience})
	if err != nil || login.TimedOut {
		h.Advice = "claude auth status does not answer: run it"
		return h
	}
	status, err := lossless.Parse(login.Stdout)
	if err != nil {
		return h // a version that does not report its login
	}
	if in := status.Get("loggedIn"); in != nil && in.Kind == lossless.Bool {
		yes := in.Raw == "true"
		h.LoggedIn = &yes
		if !yes {
			h.Advice = "log in: claude auth login (or set ANTHROPIC_API_KEY)"
		}
	}
	return h
}
