// Package agentcmd is warp agent: it lists coding agents, checks whether they answer, and runs
// one prompt while showing its events. It uses the engines' runner, so that it shows what they
// would get.
package agentcmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/adapter/agent/claude"
	"warp/internal/adapter/agent/codex"
	"warp/internal/adapter/agent/demo"
	"warp/internal/adapter/agent/gemini"
	"warp/internal/adapter/agent/program"
	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/agent"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "agent",
		Short: "Run a coding agent once, or see which ones work here",
	}
	c.AddCommand(list(a), check(a), run(a), demoRun(a))
	return c
}

// demoRun is the process of the built-in agent. Like other agents, it writes to the real stdout.
func demoRun(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:                demo.Command,
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: app.Run(func(ctx context.Context, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			w := demo.World{In: a.In, Out: os.Stdout, Stdout: os.Stdout, Dir: a.Dir, Getenv: a.Getenv, Self: self}
			if code := demo.Main(ctx, w, args); code != app.Done {
				return &app.Silent{Code: code}
			}
			return nil
		}),
	}
}

// agentConfig holds the settings and flags about an agent.
type agentConfig struct {
	command   []string // setting _workflow.agent_command
	root      string   // of the project
	misbehave string   // for the demo agent
}

type kind struct {
	name string
	make func(agentConfig) (agent.Adapter, error)
}

// kinds is the only list of agent adapters.
var kinds = []kind{
	{"claude", func(agentConfig) (agent.Adapter, error) { return claude.New(claude.Options{}), nil }},
	{"codex", func(agentConfig) (agent.Adapter, error) { return codex.New(codex.Options{}), nil }},
	{"gemini", func(agentConfig) (agent.Adapter, error) { return gemini.New(gemini.Options{}), nil }},
	{"command", func(w agentConfig) (agent.Adapter, error) {
		return program.New(program.Options{Argv: w.command, Root: w.root}), nil
	}},
	{demo.Name, func(w agentConfig) (agent.Adapter, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("finding the warp executable, which is the demo agent: %w", err)
		}
		return demo.New(demo.Options{Path: self, Version: app.Version, Misbehave: w.misbehave}), nil
	}},
}

// Names returns the names of all agents.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

func find(name string) (kind, error) {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		return kinds[i], nil
	}
	return kind{}, app.WrongUsage("there is no agent %q; there are %s", render.Printable(name), strings.Join(Names(), ", "))
}

// Chain returns the agents to try in turn: the named one, or the configured one and its
// fallbacks. root is the project's.
func Chain(s config.Settings, root, name, misbehave string) ([]agent.Adapter, error) {
	names := append([]string{s.Agent}, s.Agents...)
	if name != "" {
		names = []string{name}
	}
	var chain []agent.Adapter
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			continue
		}
		a, err := openAgent(s, root, n, misbehave)
		if err != nil {
			return nil, err
		}
		chain = append(chain, a)
	}
	if err := demo.CheckSwitches(misbehave); err != nil {
		return chain, app.WrongUsage("--misbehave: %w", err)
	}
	if misbehave != "" && !hasDemo(chain) {
		return chain, app.WrongUsage("--misbehave works with the demo agent only")
	}
	return chain, nil
}

func openAgent(s config.Settings, root, name, misbehave string) (agent.Adapter, error) {
	k, err := find(name)
	if err != nil {
		return nil, err
	}
	if name == "command" && s.Refused != nil {
		return nil, s.Refused
	}
	return k.make(agentConfig{s.AgentCommand, root, misbehave})
}

// RoleAgents returns the agents of the roles that have one of their own.
func RoleAgents(s config.Settings, root string) (map[agent.Role]agent.Adapter, error) {
	own := map[agent.Role]agent.Adapter{}
	for _, role := range config.Roles() {
		name := s.RoleAgents.Own(role)
		if name == "" || name == s.Agent {
			continue
		}
		a, err := openAgent(s, root, name, "")
		if err != nil {
			return nil, err
		}
		own[agent.Role(role)] = a
	}
	return own, nil
}

func hasDemo(chain []agent.Adapter) bool {
	return slices.ContainsFunc(chain, func(a agent.Adapter) bool { return a.Name() == demo.Name })
}

// CheckDemo refuses unknown misdeeds in WARP_DEMO, with which every run of the agent would fail.
func CheckDemo(a *app.App) error {
	if err := demo.CheckSwitches(a.Getenv("WARP_DEMO")); err != nil {
		return app.WrongUsage("WARP_DEMO: %w", err)
	}
	return nil
}
