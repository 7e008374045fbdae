package doctor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/engine/agent"
)

// agentTimeout matches the slowest adapter's timeout: a busy machine takes ten seconds to start
// a program.
const agentTimeout = 30 * time.Second

// agents requires one of the configured agents to be installed and logged in. The others are
// only fallbacks.
func agents(x exam) []Finding {
	s, err := x.drive.Project.Settings()
	if err != nil {
		return nil // another check reports it
	}
	chain, err := agentcmd.Chain(s, x.drive.Root(), "", "")
	if err != nil {
		return []Finding{problem("agent", err.Error(), "warp trust, or warp config set agent NAME")}
	}
	ctx, cancel := context.WithTimeout(x.ctx, agentTimeout)
	defer cancel()
	out := make([]Finding, len(chain))
	var all sync.WaitGroup
	for i, a := range chain {
		all.Go(func() { out[i] = healthOf(ctx, a) })
	}
	all.Wait()
	usable := false
	for _, f := range out {
		usable = usable || f.Level != Problem
	}
	for i := range out {
		if usable && out[i].Level == Problem {
			out[i].Level = Warning
		}
	}
	own, err := agentcmd.RoleAgents(s, x.drive.Root())
	if err != nil {
		return append(out, problem("agent", err.Error(), "warp trust, or warp config set agent NAME"))
	}
	seen := map[string]bool{}
	for _, role := range slices.Sorted(maps.Keys(own)) { // nothing stands in for what a person chose for a role
		a := own[role]
		if !seen[a.Name()] {
			seen[a.Name()] = true
			f := healthOf(ctx, a)
			f.Part += " (" + string(role) + ")"
			out = append(out, f)
		}
	}
	return out
}

func healthOf(ctx context.Context, a agent.Adapter) Finding {
	part, h := "agent "+a.Name(), a.Check(ctx)
	switch known := h.LoggedIn != nil; {
	case !h.Installed:
		return problem(part, "not found", cmp.Or(h.Advice, "install it, or warp config set agent NAME"))
	case h.Broken != "":
		return problem(part, h.Broken, h.Advice)
	case known && !*h.LoggedIn:
		return problem(part, "installed, but not logged in", cmp.Or(h.Advice, "log in"))
	case known:
		return ok(part, strings.TrimSpace(h.Version+" is logged in"))
	}
	if h.Advice != "" {
		return warning(part, strings.TrimSpace(h.Version+" is installed; whether it is logged in is unknown"), "warp agent check "+a.Name()+" asks it a question")
	}
	return ok(part, strings.TrimSpace(h.Version+" is installed"))
}
