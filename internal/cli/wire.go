package cli

import (
	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/demo"
	"warp/internal/cli/doctor"
	"warp/internal/cli/graph"
	"warp/internal/cli/history"
	"warp/internal/cli/hold"
	"warp/internal/cli/hookcmd"
	"warp/internal/cli/issue"
	"warp/internal/cli/level"
	"warp/internal/cli/override"
	"warp/internal/cli/settings"
	"warp/internal/cli/setup"
	"warp/internal/cli/state"
	"warp/internal/cli/status"
	"warp/internal/cli/stop"
	"warp/internal/cli/telemetry"
	"warp/internal/cli/version"
)

// commands are the commands of warp.
var commands = []struct {
	name string
	make func(*app.App) *cobra.Command
}{
	{"config", settings.New},
	{"continue", hold.Continue},
	{"demo", demo.New},
	{"doctor", doctor.New},
	{"graph", graph.New},
	{"hook", hookcmd.New},
	{"init", setup.New},
	{"issue", issue.New},
	{"level", level.New},
	{"log", history.New},
	{"override", override.New},
	{"pause", hold.Pause},
	{"state", state.New},
	{"status", status.New},
	{"stop", stop.New},
	{"telemetry", telemetry.New},
	{"version", version.New},
}

// named returns the command that a command line names, or all of them when it
// names none: making a command costs, and every start pays.
func named(a *app.App, args []string) []*cobra.Command {
	var all []*cobra.Command
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			return []*cobra.Command{c.make(a)}
		}
	}
	for _, c := range commands {
		all = append(all, c.make(a))
	}
	return all
}
