// Package claude is the agent Claude Code: it turns a task into a call of its print mode and
// parses the event stream. It decides nothing and runs nothing but the queries for version and
// login.
//
// It relies on the following, measured on version 2.1.325:
//
//   - The prompt is read from stdin, also with --resume. It never appears in the arguments, which
//     every user of the machine can read.
//   - --max-budget-usd covers this run alone, not the session that it resumes. It is checked after
//     each message, so one message can exceed it.
//   - total_cost_usd is the session's, from its first run on; the cost of this run is
//     model_usage_since_last_result, summed over the result events.
//   - A run has more than one result event if something continued in the background.
//   - All lines of a message repeat its usage as of the beginning. Only with
//     --include-partial-messages does the end report it; the pieces are also a sign of life during
//     a long message.
//   - plan mode is unsuitable for reading only: it asks a classifier, and lacks Glob and Grep.
//     --tools removes the other tools, from subagents too.
package claude

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
)

// Options are the user's settings.
type Options struct {
	Path string // the program; "" for claude in PATH
}

type adapter struct{ path string }

// New returns the adapter.
func New(o Options) agent.Adapter { return adapter{cmp.Or(o.Path, "claude")} }

// Name implements agent.Adapter.
func (a adapter) Name() string { return "claude" }

// Invoke implements agent.Adapter.
func (a adapter) Invoke(t agent.Task, _ string, schema []byte) (agent.Invocation, error) {
	if strings.TrimSpace(t.Prompt) == "" {
		return agent.Invocation{}, errors.New("the prompt is empty; say what the agent should do")
	}
	argv := []string{a.path, "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"}
	argv = append(argv, permissions(t)...)
	if t.Boxed {
		argv = append(argv, "--settings", noSandbox)
	}
	option := func(name, value string) {
		if value != "" {
			argv = append(argv, name, value)
		}
	}
	option("--resume", t.Session)
	option("--model", t.Model)
	option("--effort", t.CommonEffort())
	option("--json-schema", string(schema))
	if t.MaxTurns > 0 {
		option("--max-turns", strconv.Itoa(t.MaxTurns))
	}
	if t.Budget.MicroUSD > 0 {
		option("--max-budget-usd", strconv.FormatFloat(float64(t.Budget.MicroUSD)/1e6, 'f', -1, 64))
	}
	return agent.Invocation{Argv: argv, Stdin: t.Prompt}, nil
}

// noSandbox turns off Claude Code's own sandbox, which warp init --sandbox may have turned on for
// people's sessions: it does not start inside another.
const noSandbox = `{"sandbox":{"enabled":false}}`

// permissions returns what the agent may do without asking, as there is no person to ask. Otherwise
// the project's settings apply, as written by the automation level; their denials override what is
// allowed here.
func permissions(t agent.Task) []string {
	if t.ReadOnly {
		return []string{"--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob"}
	}
	if t.Level < 2 {
		return []string{"--permission-mode", "acceptEdits"}
	}
	return []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write"}
}

// Parser implements agent.Adapter.
func (a adapter) Parser(t agent.Task) agent.Parser {
	return &parser{resumed: t.Session != "", session: t.Session, counter: counter{current: map[string]message{}}}
}

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
