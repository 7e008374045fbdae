package program

import (
	"os"
	"path/filepath"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/sandbox"
)

// Needs implements agent.Confined: files that the command line names are the agent's own,
// as the script is that a shell is to run.
func (a adapter) Needs(agent.Task, []string) (n contain.Needs) {
	for _, arg := range a.argv[min(1, len(a.argv)):] {
		if info, err := os.Stat(arg); filepath.IsAbs(arg) && err == nil && info.Mode().IsRegular() {
			n.Read = append(n.Read, sandbox.Program(arg)...)
		}
	}
	return n
}
