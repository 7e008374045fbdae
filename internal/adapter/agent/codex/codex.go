// Package codex is the agent Codex CLI: how a task becomes a call of codex exec,
// and what its event stream says.
//
// What was measured on version 0.166.0, and is relied on here:
//
//   - exec resume has no --sandbox, so the sandbox is set with -c, which both
//     take. A prompt of "-" is read from stdin.
//   - The usage comes once, with the end of the turn, so no budget binds in the
//     middle of a run. It is the whole thread's, its earlier runs included.
//     Prices are not told at all, nor is the model.
//   - An error is a text in turn.failed. The reset time of a usage limit is a
//     time of day in it; the texts of the model are never looked at for one.
//   - --output-schema goes to the API with strict:true, which wants every member
//     required and no others allowed; what is optional is made nullable.
//   - A refusal of the model leaves a turn that is completed without a message.
//   - In the sandbox workspace-write, .git is read-only: the agent edits, it
//     does not commit.
package codex

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// Options are what a user may set.
type Options struct {
	Path string // of the program; "": codex, looked up in PATH
	// Args come first, such as "-c", `model_provider="x"`.
	Args []string
	// Now tells what day a time of day is on; nil: the system's clock.
	Now func() time.Time
}

type adapter struct {
	Options
	mu     sync.Mutex
	totals map[string]agent.Usage // of the threads that were run here
}

// New makes the adapter.
func New(o Options) agent.Adapter {
	o.Path = cmp.Or(o.Path, "codex")
	if o.Now == nil {
		o.Now = time.Now
	}
	return &adapter{Options: o, totals: map[string]agent.Usage{}}
}

// Name implements agent.Adapter.
func (a *adapter) Name() string { return "codex" }

// Invoke implements agent.Adapter. The schema is written beside the result file,
// as codex takes it from a file only.
func (a *adapter) Invoke(t agent.Task, file string, schema []byte) (agent.Invocation, error) {
	if strings.TrimSpace(t.Prompt) == "" {
		return agent.Invocation{}, errors.New("the prompt is empty; say what the agent is to do")
	}
	argv := append([]string{a.Path, "exec", "--json", "--skip-git-repo-check"}, a.Args...)
	set := func(key, value string) { argv = append(argv, "-c", fmt.Sprintf("%s=%q", key, value)) }
	set("approval_policy", "never") // there is no person to ask
	set("sandbox_mode", sandboxMode(t))
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if t.Effort != "" {
		set("model_reasoning_effort", effort(t.Effort))
	}
	if len(schema) > 0 {
		name := filepath.Join(filepath.Dir(file), "schema.json")
		if err := durable.WriteNote(name, strict(schema)); err != nil {
			return agent.Invocation{}, fmt.Errorf("writing the schema of the answer: %w; make the folder writable", err)
		}
		argv = append(argv, "--output-schema", name)
	}
	if t.Session != "" {
		argv = append(argv, "resume", t.Session)
	}
	return agent.Invocation{Argv: append(argv, "-"), Stdin: t.Prompt}, nil
}

// mayLook tells whether an agent may look only.
func mayLook(t agent.Task) bool { return t.ReadOnly || t.Level < 2 }

// sandboxMode is its own sandbox. In ours it would fail at every command, and ours
// holds more: the work tree is read-only there for those who may look only.
func sandboxMode(t agent.Task) string {
	switch {
	case t.Boxed:
		return "danger-full-access"
	case mayLook(t):
		return "read-only"
	}
	return "workspace-write"
}

// effort has another name here.
func effort(e string) string {
	if e == "standard" {
		return "medium"
	}
	return e
}

// Parser implements agent.Adapter.
func (a *adapter) Parser(t agent.Task) agent.Parser {
	return &parser{adapter: a, session: t.Session, model: t.Model}
}

// Tells implements agent.Frugal.
func (a *adapter) Tells() agent.Tells { return agent.Tells{Tokens: true} }

// since is what a thread has cost beyond what it had cost before. A thread that
// was begun elsewhere counts whole: too much, which no budget is hurt by.
func (a *adapter) since(thread string, total agent.Usage) agent.Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.totals[thread]
	a.totals[thread] = total
	return agent.Usage{
		Input: max(total.Input-before.Input, 0), Output: max(total.Output-before.Output, 0),
		CacheRead: max(total.CacheRead-before.CacheRead, 0), CacheWrite: max(total.CacheWrite-before.CacheWrite, 0),
	}
}
