package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
)

// netCommand is a command that warp leaves to warp-net: it becomes that program,
// with the same arguments.
func netCommand(name, short string) func(*app.App) *cobra.Command {
	return func(a *app.App) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error { return a.BecomeNet(append([]string{name}, args...)) },
			// The shell is answered by that program, too: only there the command is known.
			ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
				_ = a.BecomeNet(slices.Concat([]string{cobra.ShellCompRequestCmd, name}, args, []string{begun})) // without it there is nothing to offer
				return nil, cobra.ShellCompDirectiveDefault
			},
		}
	}
}
