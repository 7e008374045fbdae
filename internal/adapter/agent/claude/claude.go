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
	"errors"
	"strconv"
	"strings"

	"warp/internal/engine/agent"
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
		return agent.Invocation{}, errors.New("the prompt is empty; say what the agent is to do")
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
