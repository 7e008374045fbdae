// Package codex is the agent Codex CLI: it turns a task into a call of codex exec and parses the
// event stream.
//
// It relies on the following, measured on version 0.166.0:
//
//   - exec resume has no --sandbox, so the sandbox is set with -c, which both accept. A prompt of
//     "-" is read from stdin.
//   - The usage comes once, at the end of the turn, so no budget applies during a run. It covers
//     the whole thread, earlier runs included. Neither prices nor the model are reported.
//   - An error is a text in turn.failed. The reset time of a usage limit is a time of day in it;
//     the model's own texts are never searched for one.
//   - --output-schema goes to the API with strict:true, which requires every member and allows no
//     others; optional ones are made nullable.
//   - If the model refuses, the turn completes without a message.
//   - In the sandbox workspace-write, .git is read-only: the agent edits but does not commit.
package codex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// Options are the user's settings.
type Options struct {
	Path string // the program; "" for codex in PATH
	// Args come first, such as "-c", `model_provider="x"`.
	Args []string
	// Now dates a time of day; nil for the system's clock.
	Now func() time.Time
}

type adapter struct {
	Options
	mu     sync.Mutex
	totals map[string]agent.Usage // by thread that was run here
}

// New returns the adapter.
func New(o Options) agent.Adapter {
	o.Path = cmp.Or(o.Path, "codex")
	if o.Now == nil {
		o.Now = time.Now
	}
	return &adapter{Options: o, totals: map[string]agent.Usage{}}
}

// Name implements agent.Adapter.
func (a *adapter) Name() string { return "codex" }

// Invoke implements agent.Adapter. It writes the schema next to the result file, since codex accepts
// only a file.
func (a *adapter) Invoke(t agent.Task, file string, schema []byte) (agent.Invocation, error) {
	if strings.TrimSpace(t.Prompt) == "" {
		return agent.Invocation{}, errors.New("the prompt is empty; say what the agent should do")
	}
	argv := append([]string{a.Path, "exec", "--json", "--skip-git-repo-check"}, a.Args...)
	set := func(key, value string) { argv = append(argv, "-c", fmt.Sprintf("%s=%q", key, value)) }
	set("approval_policy", "never") // there is no person to ask
	set("sandbox_mode", sandboxMode(t))
	if t.Model != "" {
		argv = append(argv, "--model", t.Model)
	}
	if t.Effort != "" {
		set("model_reasoning_effort", t.CommonEffort())
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

// mayLook reports whether an agent may only read.
func mayLook(t agent.Task) bool { return t.ReadOnly || t.Level < 2 }

// sandboxMode returns the mode of Codex's own sandbox. Inside ours it would fail at every command,
// and ours is stricter: it mounts the work tree read-only for agents that may only read.
func sandboxMode(t agent.Task) string {
	switch {
	case t.Boxed:
		return "danger-full-access"
	case mayLook(t):
		return "read-only"
	}
	return "workspace-write"
}

// Parser implements agent.Adapter.
func (a *adapter) Parser(t agent.Task) agent.Parser {
	return &parser{adapter: a, session: t.Session, model: t.Model}
}

// Tells implements agent.Frugal.
func (a *adapter) Tells() agent.Tells { return agent.Tells{Tokens: true} }

// since returns what a thread has cost since its last total here. A thread begun elsewhere counts in
// full: an overestimate is safe for budgets.
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

// strict rewrites a schema for the API's strict mode, which forbids optional members: all become
// required, and optional ones nullable, where null counts as missing.
func strict(schema []byte) []byte {
	v, err := lossless.Parse(schema)
	if err != nil {
		return schema
	}
	return lossless.AppendCompact(nil, tighten(v))
}

func tighten(v *lossless.Value) *lossless.Value {
	if items := v.Get("items"); items != nil {
		return v.With("items", tighten(items))
	}
	if either := v.Get("anyOf"); either != nil {
		var list []*lossless.Value
		for _, one := range either.Elems {
			list = append(list, tighten(one))
		}
		return v.With("anyOf", lossless.Encode(list, nil))
	}
	props := v.Get("properties")
	if props == nil {
		return v
	}
	needed := map[string]bool{}
	if list := v.Get("required"); list != nil {
		for _, name := range list.Elems {
			needed[name.Text()] = true
		}
	}
	var all []string
	out := lossless.NewObject()
	for _, m := range props.Members {
		all = append(all, m.Key)
		one := tighten(m.Value)
		if !needed[m.Key] {
			one = nullable(one)
		}
		out.Members = append(out.Members, lossless.Member{Key: m.Key, Value: one})
	}
	return v.With("properties", out).With("required", lossless.Encode(all, nil)).With("additionalProperties", lossless.Encode(false, nil))
}

func nullable(v *lossless.Value) *lossless.Value {
	kind := v.Get("type")
	if kind == nil || kind.Kind != lossless.String {
		return v
	}
	return v.With("type", lossless.Encode([]*lossless.Value{kind, lossless.NewString("null")}, nil))
}
