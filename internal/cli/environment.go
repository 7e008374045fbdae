package cli

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/core/redact"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// surroundings removes secrets from the environment at the start. Warp's own stay in the App,
// for what talks to people and trackers. The bridge's leave the process's environment, so that
// no child inherits them (git keeps the forge's: its credential helpers need them). The initial
// environment is overwritten, because a child could read it in /proc.
func surroundings(a *app.App) {
	all := os.Environ()
	// A warp started by an agent knows no more than the agent, and must be found by its mark
	// even if it outlives the run. If nothing can be hidden, the rest still applies.
	if !slices.ContainsFunc(all, func(v string) bool { return strings.HasPrefix(v, agent.MarkPrefix) }) {
		_ = proc.Conceal(redact.Names)
	}
	kept := map[string]string{}
	for _, name := range redact.Bridge {
		kept[name] = os.Getenv(name)
		_ = os.Unsetenv(name)
	}
	a.Environ, a.Getenv = all, func(name string) string {
		if value, ok := kept[name]; ok {
			return value
		}
		return os.Getenv(name)
	}
	hide := sync.OnceValue(func() *redact.Redactor { return redact.New(all) })
	a.Env.Hide = func(text []byte) []byte { return hide().Bytes(text) }
	a.Env.Environ = func() []string { return redact.ForProject(os.Environ()) }
	a.Env.RunGate = RunGates(a)
}

// RunGates returns the runner of a project's verification gates. Only warp-net has clean rooms
// and judges, so it sets this: to run a gate, warp becomes warp-net and the command starts over.
// Commands that write first become warp-net earlier.
var RunGates = func(a *app.App) func(context.Context, turnstile.GateCommand) (proc.Result, error) {
	return func(context.Context, turnstile.GateCommand) (proc.Result, error) {
		return proc.Result{}, a.BecomeNet(a.Line)
	}
}
