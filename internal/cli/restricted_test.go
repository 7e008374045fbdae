package cli_test

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/netcommands"
)

// A command that is renamed must not fall out of the table of those that are refused to
// agents.
func TestRestrictedCommandsAreThere(t *testing.T) {
	a := &app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	root := &cobra.Command{Use: "warp"}
	root.AddCommand(cli.Named(a, nil, netcommands.Commands)...)
	for path, flags := range app.Restricted() {
		c, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			t.Errorf("there is no warp %s: %v %v", path, rest, err)
			continue
		}
		for _, f := range flags {
			if c.Flags().Lookup(f) == nil {
				t.Errorf("warp %s has no flag --%s", path, f)
			}
		}
	}
}

// The same for the table of what is completed.
func TestCompletedCommandsAreThere(t *testing.T) {
	a := &app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	root := &cobra.Command{Use: "warp"}
	root.AddCommand(cli.Named(a, nil, netcommands.Commands)...)
	for _, path := range cli.Completed() {
		if c, rest, err := root.Find(strings.Fields(path)); err != nil || len(rest) > 0 || c.CommandPath() != "warp "+path {
			t.Errorf("there is no warp %s: %v %v", path, rest, err)
		}
	}
}
