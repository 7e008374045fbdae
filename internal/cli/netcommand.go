package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
)

// netCommand is a command that warp leaves to warp-net.
func netCommand(name, short string) func(*app.App) *cobra.Command {
	return leftTo((*app.App).BecomeNet, name, short)
}

// uiCommand is a command that warp leaves to warp-ui.
func uiCommand(name, short string) func(*app.App) *cobra.Command {
	return leftTo((*app.App).BecomeUI, name, short)
}

// leftTo is a command that another program of ours has: warp becomes that program, with
// the same arguments.
func leftTo(become func(*app.App, []string) error, name, short string) func(*app.App) *cobra.Command {
	return func(a *app.App) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error { return become(a, append([]string{name}, args...)) },
			// The shell is answered by that program, too: only there the command is known.
			ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
				_ = become(a, slices.Concat([]string{cobra.ShellCompRequestCmd, name}, args, []string{begun})) // without it there is nothing to offer
				return nil, cobra.ShellCompDirectiveDefault
			},
		}
	}
}
