package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
)

const about = `Warp Drive takes approved work and drives a coding agent until it is merged,
with evidence, and loses nothing when anything dies on the way.`

const helpEnd = `
Flags:
  -h, --help       this help
      --version    print the version

First steps:
  warp demo                     watch an issue go to merged, in a throw-away repository
  warp init                     set this project up
  warp issue new -t "…"         write an issue; warp issue approve N releases it
  warp drive                    drive every approved issue

warp help COMMAND explains a command, with examples.

Exit codes: 0 done, 1 failed or refused, 2 usage or no session, 3 partly done,
4 not authorised, 10 no project here, 11 locked by another, 12 budget spent, 13
needs a person, 14 state damaged, 130 interrupted.
`

func longHelp(root *cobra.Command) {
	out := root.OutOrStdout()
	fmt.Fprintf(out, "%s\n\nUsage:\n  warp <command> [flags]\n", about)
	for _, g := range groups {
		printGroup(root, g.id, g.title)
	}
	fmt.Fprint(out, helpEnd)
}

func shortHelp(root *cobra.Command) {
	out := root.OutOrStdout()
	fmt.Fprintf(out, "%s\n", about)
	printGroup(root, everyday, groups[0].title)
	fmt.Fprint(out, "\nwarp help lists all commands, warp help COMMAND explains one; warp demo shows it at work.\n")
}

func printGroup(root *cobra.Command, id, title string) {
	out := root.OutOrStdout()
	fmt.Fprintf(out, "\n%s:\n", title)
	list := slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.GroupID != id || !c.IsAvailableCommand() })
	slices.SortStableFunc(list, func(a, b *cobra.Command) int { return cmp.Compare(commandIndex(a.Name()), commandIndex(b.Name())) })
	for _, c := range list {
		fmt.Fprintf(out, "  %-11s %s\n", c.Name(), c.Short)
	}
}

// commandIndex returns a command's position in the table; cobra's own come last.
func commandIndex(name string) int {
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return len(commands)
	}
	return i
}

// helpCommand explains a command. Cobra's own prints everything if the name is wrong, and does
// not know warp-net's commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Explain a command",
		RunE: func(c *cobra.Command, args []string) error {
			target, rest, err := c.Root().Find(args)
			switch {
			case err != nil:
				return &app.UsageError{Err: unknownCommand(c.Root(), args[0])}
			case target.DisableFlagParsing:
				return target.RunE(target, append(rest, "--help"))
			case len(rest) > 0 && target.HasSubCommands():
				return &app.UsageError{Err: unknownCommand(target, rest[0])}
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			target, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, sub := range target.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
