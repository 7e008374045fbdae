package app

import (
	"slices"

	"github.com/spf13/cobra"
)

// SandboxVariable names the sandbox for a whole shell; the command line is stronger.
const SandboxVariable = "WARP_SANDBOX"

// confinedCommands are the commands that run agents or what agents made.
var confinedCommands = []string{
	"warp drive", "warp resume", "warp loop", "warp pipeline run", "warp sessions resume", "warp workflow run", "warp workflow resume",
	"warp workflow extend", "warp agent run", "warp agent check", "warp demo", "warp sandbox run", "warp sandbox explain", "warp dev up", "warp dev supervise",
}

// AddSandboxFlag adds --sandbox to a command that runs agents.
func (a *App) AddSandboxFlag(c *cobra.Command) {
	if !slices.Contains(confinedCommands, c.CommandPath()) {
		return
	}
	c.Flags().StringVar(&a.Sandbox, "sandbox", "", "what confines agents and commands: auto, bwrap, landlock, container or off (setting sandbox)")
}

// DetachedEnviron is the environment of a warp that goes on without a terminal: in the sandbox
// that its command line names.
func (a *App) DetachedEnviron() []string {
	if a.Sandbox == "" {
		return a.Environ
	}
	return append(slices.Clone(a.AllEnviron()), SandboxVariable+"="+a.Sandbox)
}
