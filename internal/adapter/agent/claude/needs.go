package claude

import (
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// Needs implements agent.Confined. Measured: one program file, a writable configuration folder, the
// API's host, and the platform's host to refresh a login.
func (a adapter) Needs(_ agent.Task, environ []string) contain.Needs {
	folder, account := "", ""
	if at := slices.IndexFunc(environ, func(v string) bool { return strings.HasPrefix(v, "CLAUDE_CONFIG_DIR=") }); at >= 0 {
		folder = strings.TrimPrefix(environ[at], "CLAUDE_CONFIG_DIR=")
		account = filepath.Join(folder, ".claude.json")
	}
	return contain.Needs{
		Env:  []string{"ANTHROPIC_*", "CLAUDE_CODE_*", "API_TIMEOUT_MS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "MAX_THINKING_TOKENS"},
		Set:  []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		Temp: []string{"CLAUDE_CODE_TMPDIR"},
		Config: []contain.Config{
			{Path: ".claude.json", From: account},
			{Path: ".claude", From: folder, Copy: []string{".credentials.json", "settings.json", "CLAUDE.md", "agents", "commands", "skills", "output-styles"},
				Credentials: []string{".credentials.json"}, Transcripts: []string{"projects/*/*.jsonl"}},
		},
		Hosts: []string{"api.anthropic.com", "platform.claude.com", "console.anthropic.com"},
		Key: &contain.Key{BaseEnv: "ANTHROPIC_BASE_URL", Base: "https://api.anthropic.com", Secrets: []contain.Secret{
			{Env: "ANTHROPIC_API_KEY", Header: "X-Api-Key"}, {Env: "ANTHROPIC_AUTH_TOKEN", Header: "Authorization", Prefix: "Bearer "}}},
	}
}
