package issue

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/criteria"
	"warp/internal/engine/forge"
)

// Labels of issues for drives.
const (
	requirement = "req"
	draftLabel  = "draft" // written by an agent, not yet approved by a person
)

func approve(a *app.App) *cobra.Command {
	var force bool
	c := a.WithJSON("print the issue as JSON; several as an array", &cobra.Command{
		Use:   "approve <issue>...",
		Short: "Approve issues for a drive: add the labels req and approved",
		Long: `Approve issues for a drive: add the labels req and approved, and remove draft. This is a
person's decision: agents may not run it. An issue without acceptance criteria is
refused, since no drive could tell when it is done; --force approves it anyway.

Exit codes: 0 all are approved, 3 some, 1 none.`,
		Example: "  warp issue approve 42\n  warp issue approve 42 43 44",
		Args:    app.IssueNumbers(1, 0),
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			var errs []error
			approved := []forge.Issue{}
			for _, arg := range args {
				i, err := Approve(ctx, t, app.IssueNumber(arg), force)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				if approved = append(approved, i); !a.AsJSON {
					a.Printf("approved #%d\n", i.Number)
				}
			}
			if a.AsJSON {
				errs = append(errs, printIssues(a, approved, len(args)))
			}
			err := errors.Join(errs...)
			if err != nil && len(approved) > 0 {
				a.Note("%v", err)
				return &app.Silent{Code: app.Partly}
			}
			return err
		}),
	})
	c.Flags().BoolVar(&force, "force", false, "also without acceptance criteria")
	return c
}

func printIssues(a *app.App, list []forge.Issue, asked int) error {
	switch {
	case asked > 1:
		return a.JSON(list)
	case len(list) > 0:
		return a.JSON(list[0])
	}
	return nil
}

// Approve approves an issue, on a person's decision.
func Approve(ctx context.Context, t forge.Tracker, n int, force bool) (forge.Issue, error) {
	i, err := t.Get(ctx, n)
	if err != nil {
		return i, err
	}
	list, err := criteria.Parse(i.Body)
	if err == nil && len(list) == 0 {
		err = errors.New("it has no acceptance criteria, so no drive could tell when it is done")
	}
	if err != nil && !force {
		return i, fmt.Errorf("#%d was not approved: %w; warp issue lint %d says what to write, --force approves it anyway", n, err, n)
	}
	var remove []string
	if i.Has(draftLabel) {
		remove = append(remove, draftLabel)
	}
	if err := t.Label(ctx, n, []string{requirement, forge.Approved}, remove); err != nil {
		return i, err
	}
	return t.Get(ctx, n)
}
