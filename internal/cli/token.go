package cli

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/person"
	"warp/internal/engine/trust"
)

// New makes the command.
func newTokenCommand(a *app.App) *cobra.Command {
	var another bool
	c := &cobra.Command{
		Use:   "token",
		Short: "Print the token with which your scripts may decide while agents run",
		Long: `Print the token with which your scripts may decide while agents run, and make one at
first use.

Some commands are a person's decision: trust, override, answer, continue, an approval,
a higher bound, a changed setting. While an agent works in a project, warp takes them
from a terminal, from the bridge, or from a script that has the token in WARP_TOKEN.

The token is kept in your state folder, which no sandbox shows. Warp passes it to no
agent and no test. Set it for the one script that needs it: an agent that you start in
a shell that exports it has it, too.`,
		Example: "  WARP_TOKEN=$(warp token) ./answer-nightly.sh\n  warp token --new             make another; the old one counts no more",
		Args:    cobra.NoArgs,
		RunE: app.Run(func(context.Context, []string) error {
			dir, err := trust.Folder(a.Getenv)
			if err != nil {
				return err
			}
			text, err := person.Token(dir, another)
			if err != nil {
				return err
			}
			a.Printf("%s\n", text)
			return nil
		}),
	}
	c.Flags().BoolVar(&another, "new", false, "make another; the old one counts no more")
	return c
}
