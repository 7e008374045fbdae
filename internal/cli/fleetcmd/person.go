package fleetcmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	who "warp/internal/engine/person"
	"warp/internal/engine/trust"
)

// decisions are the commands that agents may not run: one that could answer its own
// question, or start others, needs no person any more.
var decisions = map[string]string{
	"answer": "an answer", "submit": "what the fleet works on", "pause": "pausing", "resume": "going on", "stop": "stopping",
	"drain": "which machines work", "schedule": "when nights begin", "up": "starting a fleet", "worker": "starting a worker",
}

// refuseAgents refuses a command that is a person's decision to agents that warp runs, and an
// answer to agents' sessions as well.
func refuseAgents(c *cobra.Command, _ []string) error {
	what, restricted := decisions[c.Name()]
	if !restricted {
		return nil
	}
	asks := who.Asker{PID: os.Getpid(), Getenv: os.Getenv}
	asks.Folder, _ = trust.Folder(os.Getenv) // without one, there is no token
	kind, why := asks.Who()
	if kind == who.Agent || kind == who.Session && c.Name() == "answer" {
		return fmt.Errorf("%s is a person's decision: run warp-fleet %s in a terminal outside the agent's session (%s)", what, c.Name(), why)
	}
	return nil
}
