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

// surroundings takes the secrets out of the environment at the start. Warp's own stay
// in the App alone, for what talks to people and trackers; those of the bridge go out
// of the process's environment, so that no child has them by accident (git keeps the
// forges': its credential helpers ask for them). What the process was started with is
// overwritten: a child could read it in /proc.
func surroundings(a *app.App) {
	all := os.Environ()
	// One that an agent has started knows no more than the agent, and must be found
	// by its mark, also when it outlives the run. Where nothing can be hidden, the
	// rest still holds.
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

// RunGates makes what runs the verification gates of a project. Clean rooms and judges are
// warp-net's, which sets it: warp becomes warp-net where a gate is to be run, and the
// command begins anew. Commands that write before do so earlier.
var RunGates = func(a *app.App) func(context.Context, turnstile.GateCommand) (proc.Result, error) {
	return func(context.Context, turnstile.GateCommand) (proc.Result, error) {
		return proc.Result{}, a.BecomeNet(a.Line)
	}
}
