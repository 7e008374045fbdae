package codex

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// patience suits a program that starts in a fraction of a second.
const patience = 20 * time.Second

// Check implements agent.Adapter. It asks codex for its version and login, which is free.
func (a *adapter) Check(ctx context.Context) agent.Health {
	h, works := agent.FindProgram(ctx, a.Path, patience, "the Codex CLI", "npm install -g @openai/codex")
	if !works {
		return h
	}
	h.Version = strings.TrimPrefix(h.Version, "codex-cli ")
	login, err := proc.Run(ctx, proc.Cmd{Argv: []string{h.Path, "login", "status"}, Timeout: patience})
	if err != nil || login.TimedOut {
		h.Advice = "codex login status does not answer: run it"
		return h
	}
	yes := login.Exit == 0 || os.Getenv("CODEX_API_KEY") != ""
	if !yes && hasOwnProvider() {
		return h // it may need no login
	}
	h.LoggedIn = &yes
	if !yes {
		h.Advice = "log in: codex login (or set CODEX_API_KEY)"
	}
	return h
}

// hasOwnProvider reports whether Codex is configured for a provider other than OpenAI, to which the
// login belongs, or has a profile that may be.
func hasOwnProvider() bool {
	home := os.Getenv("CODEX_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		home = filepath.Join(user, ".codex")
	}
	text, err := os.ReadFile(filepath.Join(home, "config.toml"))
	return err == nil && regexp.MustCompile(`(?m)^\s*(model_provider|profile)\s*=`).Match(text)
}
