package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/machine"
)

func newGraphCommand(a *app.App) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "graph",
		Short: "Draw the phases and events; the current phase is highlighted",
		Example: `  warp graph --format dot | dot -Tsvg > phases.svg
  warp graph --format markdown`,
		RunE: app.Run(func(context.Context, []string) error {
			var current drivestate.Phase
			if d, err := a.Project(); err == nil {
				if v, err := d.Read(); err == nil {
					current = v.State.Phase
				}
			}
			text, err := drivestate.Table.Render(format, drivestate.Drawing(current))
			if err != nil {
				return &app.UsageError{Err: err}
			}
			a.Printf("%s", text)
			return nil
		}),
	}
	c.Flags().StringVar(&format, "format", "mermaid", "one of "+strings.Join(machine.Formats, ", "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(machine.Formats, cobra.ShellCompDirectiveNoFileComp))
	return c
}
