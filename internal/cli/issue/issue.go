// Package issue is warp issue. It journals which acceptance criteria were
// checked off, which is what the gate before docs_updated reads.
package issue

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/name"
	"warp/internal/turnstile"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "issue",
		Short: "Work with the requirement's issue",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(check(a), record(a))
	return c
}

func check(a *app.App) *cobra.Command {
	var undo bool
	c := &cobra.Command{
		Use:   "check <issue> <criterion>...",
		Short: "Record that acceptance criteria were checked off",
		Long: `Record in the journal that acceptance criteria of an issue were checked off. The
gate ac_count_check reads this record before docs_updated; it wants exactly the
criteria of the chunks done so far, this one's included.`,
		Example: "  warp issue check 42 AC-01 AC-02\n  warp issue check --undo 42 AC-02",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &app.UsageError{Err: errors.New("expected an issue and at least one criterion")}
			}
			for _, s := range args {
				if !name.Valid(s) {
					return &app.UsageError{Err: fmt.Errorf("%q: it must be %s", s, name.Rule)}
				}
			}
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			if err := d.Check(args[0], args[1:], !undo); err != nil {
				return err
			}
			word := "checked off"
			if undo {
				word = "no longer checked off"
			}
			a.Printf("%s in #%s: %s\n", word, args[0], strings.Join(args[1:], ", "))
			return nil
		}),
	}
	c.Flags().BoolVar(&undo, "undo", false, "take the check marks back")
	return c
}
