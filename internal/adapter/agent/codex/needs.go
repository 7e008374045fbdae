package codex

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
)

// Needs implements agent.Confined. Measured: the API's address is part of the configuration, which
// an argument overrides; so a key in a variable stays outside. A login's tokens are in auth.json,
// of which it gets a copy.
func (a *adapter) Needs(t agent.Task, environ []string) contain.Needs {
	folder, home := "", ""
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "CODEX_HOME":
			folder = value
		case "HOME":
			home = value
		}
	}
	file := filepath.Join(folder, "config.toml")
	if folder == "" {
		file = filepath.Join(home, ".codex", "config.toml")
	}
	text, _ := os.ReadFile(file) // without one, the defaults apply
	p := readProvider(string(text))
	n := contain.Needs{
		Env: []string{"CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "RUST_LOG"},
		Config: []contain.Config{{Path: ".codex", From: folder, Copy: []string{"auth.json", "config.toml", "AGENTS.md", "prompts", "hooks.json"},
			Credentials: []string{"auth.json"}, Transcripts: []string{"sessions/*/*/*/*.jsonl"}}},
		Hosts: []string{"api.openai.com", "chatgpt.com", "auth.openai.com"}, ReadOnly: mayLook(t), Key: p.key(),
	}
	if p.envKey != "" {
		n.Env = append(n.Env, p.envKey)
	}
	if to, err := url.Parse(p.base); n.Key == nil && err == nil && to.Host != "" {
		n.Hosts = append(n.Hosts, to.Host)
	}
	return n
}

// provider is the API provider that a configuration selects.
type provider struct{ name, base, envKey string }

// readProvider reads the provider from config.toml, ignoring what it does not understand.
func readProvider(text string) provider {
	tables := map[string]map[string]string{}
	table := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			inner, _, _ = strings.Cut(inner, "]")
			table = strings.ReplaceAll(strings.TrimSpace(inner), `"`, "")
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); !ok || len(value) < 2 || value[0] != '"' && value[0] != '\'' {
			continue
		}
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			if tables[table] == nil {
				tables[table] = map[string]string{}
			}
			tables[table][strings.TrimSpace(name)] = value[1 : 1+end]
		}
	}
	p := provider{name: tables[""]["model_provider"]}
	if p.name == "" || p.name == "openai" {
		return provider{base: tables[""]["openai_base_url"]}
	}
	own := tables["model_providers."+p.name]
	p.base, p.envKey = own["base_url"], own["env_key"]
	return p
}

// key returns the key to keep outside for a provider.
func (p provider) key() *contain.Key {
	k := &contain.Key{Base: p.base, Chosen: p.base != ""}
	switch {
	case p.name == "":
		if k.Base == "" {
			k.Base = "https://api.openai.com/v1"
		}
		k.BaseArgs = []string{"-c", `openai_base_url="{base}"`}
		for _, name := range []string{"OPENAI_API_KEY", "CODEX_API_KEY"} { // the last one set wins
			k.Secrets = append(k.Secrets, contain.Secret{Env: name, Header: "Authorization", Prefix: "Bearer "})
		}
	case p.base == "" || strings.ContainsFunc(p.name, func(r rune) bool { return !slices.Contains([]rune(plainName), r) }):
		return nil // its name cannot be part of an argument
	default:
		k.BaseArgs = []string{"-c", `model_providers.` + p.name + `.base_url="{base}"`}
		if p.envKey != "" {
			k.Secrets = []contain.Secret{{Env: p.envKey, Header: "Authorization", Prefix: "Bearer "}}
		}
	}
	return k
}

const plainName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
