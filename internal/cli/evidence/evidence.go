// Package evidence is warp evidence: why the work on a requirement should be
// believed, criterion by criterion.
package evidence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON, unsigned bool
	c := &cobra.Command{
		Use:   "evidence <issue>",
		Short: "Show why a requirement should be believed to be done, criterion by criterion",
		Long: `Show, for each acceptance criterion of a requirement, whether it is met, its
commits, what the gates, the tests and the verifier said, and what its chunk
cost; then the totals, what an agent did that was taken back, and what was filed.

Only what this user's warp has signed is shown: an agent can append rows to the
journal, but has no key. --unsigned shows the rest, too.

All of it is read from the journals of the repository's work trees: nothing is
run, and nothing is asked over the network. A drive inside an agent's session
records less than warp drive does; what there is, is shown.`,
		Example: "  warp evidence 42\n  warp evidence 42 --json | jq '.criteria[] | select(.met | not)'",
		Args:    app.Exactly(1, "the number of an issue"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			if unsigned {
				a.Env.Signer = nil // whose signature it is, is not looked at
			}
			return show(a, d, strings.TrimPrefix(args[0], "#"), asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	c.Flags().BoolVar(&unsigned, "unsigned", false, "show rows that are not signed as well: anything can have written them")
	return c
}

func show(a *app.App, d *turnstile.Drive, issue string, asJSON bool) error {
	r, err := Gather(d, a.Env)
	a.Notes(r.Notes)
	if err != nil {
		return err
	}
	known := r.Book.Issues()
	if !slices.Contains(known, issue) {
		return unknown(issue, known)
	}
	account := r.Book.Account(issue)
	if asJSON {
		return a.JSON(account)
	}
	print(Sheet{a.Out, a.Terminal}, account)
	return nil
}

func unknown(issue string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("there is no evidence about issue %q, nor about any other: no drive has worked here yet", issue)
	}
	const most = 20
	text := strings.Join(known[max(0, len(known)-most):], ", ")
	if len(known) > most {
		text += fmt.Sprintf(" and %d older ones", len(known)-most)
	}
	return fmt.Errorf("there is no evidence about issue %q; there is some about %s", issue, text)
}
