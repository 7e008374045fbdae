package cli_test

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/fleetcmd"
	"warp/internal/cli/netcommands"
	"warp/internal/cli/uicommands"
)

// cobraWords are how cobra refuses arguments: neither what is wrong nor what to do.
var cobraWords = regexp.MustCompile(`arg\(s\)|unknown command|invalid argument`)

// However many arguments a command gets, it refuses them in plain words, as wrong usage.
func TestArgumentsAreRefusedInPlainWords(t *testing.T) {
	root := cli.Tree(&app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}, slices.Concat(netcommands.Commands, uicommands.Commands)...)
	refused := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for n := range 6 {
			if c.Args == nil {
				break
			}
			err := c.Args(c, slices.Repeat([]string{"extra"}, n))
			if err == nil {
				continue
			}
			refused++
			if text := app.Message(err); !app.IsA[*app.UsageError](err) || cobraWords.MatchString(text) {
				t.Errorf("%s with %d arguments: %s", c.CommandPath(), n, text)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	visit(fleetcmd.Tree())
	if refused < 300 {
		t.Errorf("only %d were refused", refused)
	}
}

// What is too much is named, and what is missing.
func TestRefusedArguments(t *testing.T) {
	for _, c := range []struct {
		check cobra.PositionalArgs
		args  []string
		want  string
	}{
		{cobra.NoArgs, []string{"a", "b"}, `warp x takes no arguments, but got "a"; usage: warp x NAME (see warp x --help)`},
		{cobra.MaximumNArgs(1), []string{"a", "b", "c"}, `warp x takes at most 1 argument, but also got "b"; usage: warp x NAME (see warp x --help)`},
		{cobra.RangeArgs(1, 2), []string{"a", "b", "\x1b"}, `warp x takes at most 2 arguments, but also got "\x1b"; usage: warp x NAME (see warp x --help)`},
		{cobra.ExactArgs(1), nil, `an argument is missing; usage: warp x NAME (see warp x --help)`},
		{cobra.MinimumNArgs(2), []string{"a"}, `an argument is missing; usage: warp x NAME (see warp x --help)`},
		{cobra.MinimumNArgs(2), []string{"a", "b"}, ``},
	} {
		root, x := &cobra.Command{Use: "warp"}, &cobra.Command{Use: "x NAME"}
		root.AddCommand(x)
		got := ""
		if err := app.PlainArgs(c.check)(x, c.args); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %s", c.args, got)
		}
	}
}

// The overview of warp says of a command of another program what that one says of itself.
func TestOverviewsAgree(t *testing.T) {
	a := &app.App{Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}
	own := map[string]string{}
	for _, c := range cli.Tree(a).Commands() {
		own[c.Name()] = c.Short
	}
	for _, c := range cli.Tree(a, slices.Concat(netcommands.Commands, uicommands.Commands)...).Commands() {
		if c.Short != own[c.Name()] {
			t.Errorf("warp %s is %q in the overview, %q in its own help", c.Name(), own[c.Name()], c.Short)
		}
	}
}
