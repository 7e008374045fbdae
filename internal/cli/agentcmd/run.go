package agentcmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"warp/internal/adapter/agent/demo"
	"warp/internal/cli/app"
	"warp/internal/core/answer"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/turnstile"
)

type options struct {
	role, issue, dir, misbehave string
	model, effort, session      string
	criteria                    []string
	maxCost                     int64 // micro-dollars
	maxTokens                   int64
	timeout, idle               time.Duration
	json                        bool
	strict                      bool // a role was given, so its result is required
}

func run(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "run [agent] <prompt | ->",
		Short: "Run one prompt on an agent and show what it does",
		Long: `Run one prompt on an agent and show what it does, one line per event. With - the
prompt is read from stdin. An agent left over from an earlier run is ended first.
warp waits for a usage limit to pass; an interrupt ends the agent. Without an agent
the settings choose: agent, then agents to fall back on, in order.

A limit in dollars works for agents that report prices, and for those that report
tokens of a model with a known price; otherwise nothing is run. Add prices to
~/.claude/prices.json:

  {"models": {"my-model": {"input": 1.25, "output": 10, "cache_read": 0.125}}}

in dollars per million tokens.

Exit codes: 0 done, 1 failed, 2 a limit that cannot be enforced, 12 the limit was reached, 13 it needs you (not
logged in), 130 interrupted. With --role, a missing or invalid result is a failure.

The demo agent costs nothing and needs no network. It can misbehave in the ways
that --misbehave or WARP_DEMO list, for one role with a prefix (verify:liar):

` + misbehaviours(),
		Example: `  warp agent run claude "Say what this project is about"
  warp agent run demo --role code --issue 7 --criteria AC-01,AC-02 "Do it"
  warp agent run demo --misbehave overspend --max-cost 0.50 "Do it"`,
		Args: func(_ *cobra.Command, args []string) error {
			_, unnamed := find(append(args, "")[0])
			if len(args) != 1 && len(args) != 2 || len(args) == 1 && unnamed == nil {
				return app.WrongUsage("expected an agent and a prompt (or - to read it from stdin), got %s", text.Count(len(args), "argument"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			o.strict = c.Flags().Changed("role")
			who := ""
			if len(args) == 2 {
				who = args[0]
			}
			return runOne(c.Context(), a, o, who, args[len(args)-1])
		},
	}
	f := c.Flags()
	f.StringVar(&o.role, "role", string(agent.Code), "the agent's role: "+roles())
	f.StringVar(&o.issue, "issue", "", "the issue it works on")
	f.StringSliceVar(&o.criteria, "criteria", nil, "the criteria it works on, as AC-01,AC-02")
	app.DollarsFlag(f, &o.maxCost, "max-cost", "end it when it has cost this many dollars; default: no limit")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "end it when it has used this many tokens; 0: no limit")
	f.StringVar(&o.model, "model", "", "the model; default: as configured, else the agent's choice")
	f.StringVar(&o.effort, "effort", "", "reasoning effort: "+strings.Join(efforts, ", ")+"; default: as configured, else the agent's choice")
	f.StringVar(&o.session, "session", "", "the agent session to continue")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "end it after this time; 0: no limit")
	f.DurationVar(&o.idle, "idle", 5*time.Minute, "end it after this time without output; 0: no limit")
	f.StringVar(&o.dir, "dir", ".", "the folder it works in")
	f.StringVar(&o.misbehave, "misbehave", "", "how the demo agent misbehaves")
	f.BoolVar(&o.json, "json", false, "print events, then the result, as JSON lines")
	return c
}

func misbehaviours() string {
	var b strings.Builder
	for _, s := range demo.Switches {
		fmt.Fprintf(&b, "  %-10s %s\n", s.Name, s.Does)
	}
	return b.String()
}

// efforts are the levels of reasoning an agent can be asked for.
var efforts = []string{"low", "standard", "high"}

func roles() string {
	var names []string
	for _, r := range answer.Roles {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

func runOne(ctx context.Context, a *app.App, o options, who, prompt string) error {
	if who != "" {
		if _, err := find(who); err != nil {
			return err
		}
	}
	o.issue = app.IssueName(o.issue)
	if err := o.check(); err != nil {
		return err
	}
	if prompt == "-" {
		text, err := io.ReadAll(a.In)
		if err != nil {
			return fmt.Errorf("reading the prompt: %w", err)
		}
		prompt = string(text)
	}
	if strings.TrimSpace(prompt) == "" {
		return app.WrongUsage("the prompt is empty")
	}
	dir, err := a.Folder(o.dir)
	if err != nil {
		return err
	}
	root, ok := turnstile.Find(dir, a.Getenv("HOME"))
	if !ok {
		return app.ErrNoProject
	}
	d := turnstile.Open(root, a.Env)
	settings, err := d.Project.Settings()
	if err != nil {
		return err
	}
	chain, err := Chain(settings, root, who, o.misbehave)
	if err != nil {
		return err
	}
	s := &screen{app: a, json: o.json}
	r, err := s.runner(a, d, chain)
	if err != nil {
		return err
	}
	task := agent.Task{
		Role: agent.Role(o.role), Prompt: prompt, Dir: dir, Work: agent.Work{Issue: o.issue}, Criteria: o.criteria, Level: settings.Level,
		Model: o.model, Effort: o.effort, Session: o.session,
		Budget: agent.Budget{MicroUSD: o.maxCost, Tokens: o.maxTokens}, Idle: o.idle, Timeout: o.timeout,
	}
	res, err := ask(ctx, r, s, task)
	answered := max(0, slices.IndexFunc(chain, func(a agent.Adapter) bool { return a.Name() == res.Agent }))
	return s.finish(ctx, chain[answered], res, err, o.strict, task.Budget.MicroUSD)
}

// check refuses options that could only fail later, or mean something else.
func (o options) check() error {
	if !slices.Contains(answer.Roles, agent.Role(o.role)) {
		return app.WrongUsage("unknown --role %q; choose one of %s", o.role, roles())
	}
	for _, s := range append([]string{o.issue, o.session}, o.criteria...) {
		if s != "" && !text.ValidName(s) {
			return app.WrongUsage("%q: it must be %s", s, text.NameRule)
		}
	}
	switch {
	case o.effort != "" && !slices.Contains(efforts, o.effort):
		return app.WrongUsage("unknown --effort %q; choose one of %s", o.effort, strings.Join(efforts, ", "))
	case strings.HasPrefix(o.model, "-") || strings.ContainsFunc(o.model, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return app.WrongUsage("--model %q is not a valid model name", o.model)
	case o.maxTokens < 0:
		return app.WrongUsage("--max-tokens must not be negative")
	case o.timeout < 0 || o.idle < 0:
		return app.WrongUsage("--timeout and --idle must not be negative")
	}
	return nil
}
