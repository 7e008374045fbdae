// Package evidencecmd is warp evidence: why the work on a requirement should be
// believed, criterion by criterion.
package evidencecmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON, unsigned bool
	c := &cobra.Command{
		Use:   "evidence <issue>",
		Short: "Show the evidence that a requirement is done, criterion by criterion",
		Long: `Show, for each acceptance criterion of a requirement, whether it is met, its
commits, the results of gates, tests and verifier, and the cost of its chunk; then
the totals, what was undone of an agent's work, and what was filed.

Only rows signed by this user's warp are shown: an agent can append to the journal,
but has no key. --unsigned also shows the rest.

Everything is read from the journals of the repository's work trees: nothing runs,
and the network is not used. A drive inside an agent session records less than warp
drive does.`,
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
	c.Flags().BoolVar(&unsigned, "unsigned", false, "also show unsigned rows, which anything may have written")
	return c
}

func show(a *app.App, d *turnstile.Drive, issue string, asJSON bool) error {
	r, err := feed.Read(d, a.Env)
	if err != nil {
		return err
	}
	a.Notes(r.Notes)
	known := r.Book.Issues()
	if !slices.Contains(known, issue) {
		return unknown(issue, known)
	}
	account := r.Book.Account(issue)
	if asJSON {
		return a.JSON(account)
	}
	print(Sheet{a.Out, a.Color}, account)
	return nil
}

func unknown(issue string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("there is no evidence about issue %q, nor about any other: no drive has run here yet", issue)
	}
	const most = 20
	text := strings.Join(known[max(0, len(known)-most):], ", ")
	if len(known) > most {
		text += fmt.Sprintf(" and %d older ones", len(known)-most)
	}
	return fmt.Errorf("there is no evidence about issue %q; there is evidence about %s", issue, text)
}
