// Package agentcmd is warp agent: which coding agents there are, whether they
// answer, and one prompt run by hand with its events to watch. It asks agents
// through the same runner that the engines use, so that what is seen here is what
// they get.
package agentcmd

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"warp/internal/adapter/agent/demo"
	"warp/internal/cli/app"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "agent",
		Short: "List coding agents, check one, run one prompt",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(list(a), check(a), run(a), demoRun(a))
	return c
}

// demoRun is the process of the built-in agent. It writes to the real stdout, as
// other agents do, and not through the command line's.
func demoRun(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:                demo.Command,
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               cobra.ArbitraryArgs,
		RunE: app.Run(func(ctx context.Context, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			w := demo.World{In: a.In, Out: os.Stdout, Stdout: os.Stdout, Dir: a.Dir, Getenv: a.Getenv, Self: self}
			if code := demo.Main(ctx, w, args); code != app.Done {
				return &app.Silent{Code: code}
			}
			return nil
		}),
	}
}
