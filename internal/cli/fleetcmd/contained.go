package fleetcmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// examineAgents says whether an agent on this machine could read the fleet's key. Each agent
// is a process of the worker's user, so that the key's mode does not keep it away.
func examineAgents(ctx context.Context, warp, key string) finding {
	lines, err := explainSandbox(ctx, warp)
	if err == nil {
		key, err = filepath.Abs(key)
	}
	switch {
	case err != nil:
		return finding{ok: true, warns: true, what: "agents: " + err.Error() + "; one that runs as your user can read " + key + ", and with it read everything that the fleet sends and give it orders",
			cure: "let agents run in a sandbox (warp doctor sandbox says what is missing), or give the fleet a user and machines where nothing else is at stake: docs/how-to/fleet.md"}
	case isVisible(lines, key):
		return finding{ok: true, warns: true, what: "agents: their sandbox shows them " + key + ", and with it an agent can give the fleet orders", cure: "move it to a folder that warp sandbox explain does not list, with WARP_FLEET_HOME or --key"}
	}
	return finding{ok: true, what: "agents: " + strings.Join(strings.Fields(lines[0]), " ") + ": they do not see the key"}
}

// explainSandbox has warp say what agents of a new repository would see.
func explainSandbox(ctx context.Context, warp string) ([]string, error) {
	dir, err := os.MkdirTemp("", "warp-fleet-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = durable.RemoveFolder(dir) }() // it is a temporary one
	for _, argv := range [][]string{{"git", "init", "-q"}, {warp, "sandbox", "explain"}} {
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Dir: dir, Env: os.Environ(), Timeout: time.Minute})
		switch {
		case err != nil:
			return nil, err
		case res.Exit != 0:
			return nil, errors.New(strings.TrimPrefix(string(lastLine(res.Stderr)), "warp: "))
		case argv[0] == warp:
			return strings.Split(strings.TrimSpace(string(res.Stdout)), "\n"), nil
		}
	}
	return nil, nil
}

// isVisible tells whether a file is below what is seen, by the deepest folder that is listed.
func isVisible(lines []string, file string) bool {
	deepest, how := "", ""
	for _, line := range lines {
		kind, path, _ := strings.Cut(line, " ")
		path = strings.TrimSuffix(strings.TrimSpace(path), ", a copy")
		if rest, err := filepath.Rel(path, file); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rest) && len(path) > len(deepest) {
			deepest, how = path, kind
		}
	}
	return deepest != "" && how != "empty"
}
