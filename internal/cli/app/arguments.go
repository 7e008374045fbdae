package app

import (
	"github.com/spf13/cobra"

	"warp/internal/core/text"
)

// PlainArgs adds the surplus argument or the usage to argument errors. It leaves usage errors as
// they are.
func PlainArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		err := check(c, args)
		if err == nil || IsA[*UsageError](err) {
			return err
		}
		for n := len(args) - 1; n >= 0; n-- {
			if check(c, args[:n]) != nil {
				continue
			}
			if n == 0 {
				return WrongUsage("%s takes no arguments, but got %q; usage: %s (see %[1]s --help)", c.CommandPath(), args[0], c.UseLine())
			}
			return WrongUsage("%s takes at most %s, but also got %q; usage: %s (see %[1]s --help)", c.CommandPath(), text.Count(n, "argument"), args[n], c.UseLine())
		}
		return WrongUsage("an argument is missing; usage: %s (see %s --help)", c.UseLine(), c.CommandPath())
	}
}
