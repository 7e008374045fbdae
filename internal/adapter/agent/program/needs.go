package program

import (
	"os"
	"path/filepath"

	"warp/internal/engine/agent"
	"warp/internal/engine/contain"
	"warp/internal/sys/sandbox"
)

// Needs implements agent.Confined: files named on the command line belong to the agent, such as the
// script that a shell runs.
func (a adapter) Needs(agent.Task, []string) (n contain.Needs) {
	for _, arg := range a.argv[min(1, len(a.argv)):] {
		if info, err := os.Stat(arg); filepath.IsAbs(arg) && err == nil && info.Mode().IsRegular() {
			n.Read = append(n.Read, sandbox.Program(arg)...)
		}
	}
	return n
}
