package cli

import (
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
		}
	}
}
