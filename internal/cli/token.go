package cli

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/person"
	"warp/internal/engine/trust"
)

func newTokenCommand(a *app.App) *cobra.Command {
	var another bool
	c := &cobra.Command{
		Use:   "token",
		Short: "Print the token that lets your scripts decide while agents run",
		Long: `Print the token that lets your scripts decide while agents run; it is created at
first use.

Some commands are a person's decision: trust, override, answer, continue, an approval,
a higher limit, a changed setting. While an agent works in a project, warp accepts
them from a terminal, from the bridge, or from a script with the token in WARP_TOKEN.

The token is in your state folder, which no sandbox exposes. warp passes it to no
agent and no test. Set it only for the script that needs it: an agent started from a
shell that exports it has it, too.`,
		Example: "  WARP_TOKEN=$(warp token) ./answer-nightly.sh\n  warp token --new             make another; the old one no longer works",
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
	c.Flags().BoolVar(&another, "new", false, "make another; the old one no longer works")
	return c
}
