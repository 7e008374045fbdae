// Package claude is the agent Claude Code: how a task becomes a call of its
// print mode, and what its event stream says. It decides nothing and starts
// nothing but the questions after its version and its login.
//
// What was measured on version 2.1.325, and is relied on here:
//
//   - The prompt is read from stdin, beside --resume too. It never stands in the
//     arguments, which every user of the machine can read.
//   - --max-budget-usd counts this run alone, not the session that it resumes.
//     It is looked at after each message, so one message goes beyond it.
//   - total_cost_usd is the session's, from its first run on; what this run has
//     cost is model_usage_since_last_result, summed over the result events.
//   - A run has more than one result event when something went on in the
//     background.
//   - The lines of a message all repeat its usage as it was when the message
//     began. Only with --include-partial-messages is it told at its end; the
//     pieces are a sign of life during a long message, besides.
//   - plan mode is no way to read only: it asks a classifier, and lacks Glob and
//     Grep. --tools takes the others away, from subagents too.
package claude

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"warp/internal/engine/agent"
)

// Options are what a user may set.
type Options struct {
	Path string // of the program; "": claude, looked up in PATH
}

type adapter struct{ path string }

// New makes the adapter.
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
	option("--effort", effort(t.Effort))
	option("--json-schema", string(schema))
	if t.MaxTurns > 0 {
		option("--max-turns", strconv.Itoa(t.MaxTurns))
	}
	if t.Budget.MicroUSD > 0 {
		option("--max-budget-usd", strconv.FormatFloat(float64(t.Budget.MicroUSD)/1e6, 'f', -1, 64))
	}
	return agent.Invocation{Argv: argv, Stdin: t.Prompt}, nil
}

// noSandbox switches Claude Code's own sandbox off, which warp init --sandbox may have
// switched on for sessions of people: it does not start within another.
const noSandbox = `{"sandbox":{"enabled":false}}`

// permissions says what may be done without asking, as no person is there to be
// asked. Beyond it the rules of the project's settings hold, which are what the
// automation level has written; their denials are stronger than what is allowed
// here.
func permissions(t agent.Task) []string {
	if t.ReadOnly {
		return []string{"--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob"}
	}
	if t.Level < 2 {
		return []string{"--permission-mode", "acceptEdits"}
	}
	return []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write"}
}

// effort has other names here. Of one that Claude Code does not know it makes
// nothing, with a warning.
func effort(e string) string {
	if e == "standard" {
		return "medium"
	}
	return e
}

// Parser implements agent.Adapter.
func (a adapter) Parser(t agent.Task) agent.Parser {
	return &parser{resumed: t.Session != "", session: t.Session, counter: counter{current: map[string]message{}}}
}
