package cli_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/shell"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/netcommands"
	"warp/internal/cli/uicommands"
)

// Every example of the help names a command that there is, with flags and arguments that it
// takes (one once named a check that warp doctor does not have).
func TestExamplesCanBeTyped(t *testing.T) {
	seen := 0
	root := func() *cobra.Command {
		return cli.Tree(&app.App{Out: io.Discard, Err: io.Discard, Terminal: true, Getenv: func(string) string { return "" }}, slices.Concat(netcommands.Commands, uicommands.Commands)...)
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSpace(line)
			line, _, _ = strings.Cut(line, "   ") // what it does
			words, err := shell.Fields(strings.ReplaceAll(line, "$PPID", "1"), nil)
			if err != nil || len(words) == 0 || words[0] != "warp" || line == "warp issue new" { // that one wants a terminal, for its editor
				continue
			}
			seen++
			called, rest, err := root().Find(words[1:])
			if err == nil {
				err = called.ParseFlags(rest)
			}
			if err == nil {
				err = called.ValidateArgs(called.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: %q: %s", c.CommandPath(), line, app.Message(err))
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root())
	if seen < 100 {
		t.Errorf("only %d examples were tried", seen)
	}
}
