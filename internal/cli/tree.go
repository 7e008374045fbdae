package cli

import (
	"github.com/spf13/cobra"

	"warp/internal/cli/app"
)

// Tree is warp with all its commands, for what describes them: man pages and
// completions. It is to be read, not run.
func Tree(a *app.App, more ...Command) *cobra.Command {
	root := tree(a, nil, more)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// tree is the command that a command line names below warp, or all commands where it names none.
func tree(a *app.App, args []string, more []Command) *cobra.Command {
	root := command(a)
	root.AddCommand(named(a, args, more)...)
	walk(root, func(c *cobra.Command) { c.Args = usage(c); a.AddSandboxFlag(c); a.Guard(c) })
	return root
}
