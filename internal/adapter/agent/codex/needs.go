package codex

import (
	"slices"
	"strings"

	"warp/internal/engine/contain"
)

// Needs implements agent.Confined. Its API's address is part of its configuration,
// so its key cannot be kept outside.
func (a *adapter) Needs(environ []string) contain.Needs {
	folder := ""
	if at := slices.IndexFunc(environ, func(v string) bool { return strings.HasPrefix(v, "CODEX_HOME=") }); at >= 0 {
		folder = strings.TrimPrefix(environ[at], "CODEX_HOME=")
	}
	return contain.Needs{
		Env: []string{"CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "RUST_LOG"},
		Config: []contain.Config{{Path: ".codex", From: folder, Copy: []string{"auth.json", "config.toml", "AGENTS.md", "prompts", "hooks.json"},
			Credentials: []string{"auth.json"}, Transcripts: []string{"sessions/*/*/*/*.jsonl"}}},
		Hosts: []string{"api.openai.com", "chatgpt.com", "auth.openai.com"},
	}
}
