package issue

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// linted holds the findings in one issue.
type linted struct {
	Issue    int                `json:"issue"`
	Title    string             `json:"title"`
	Criteria int                `json:"criteria"`
	Findings []criteria.Finding `json:"findings"`
}

func lint(a *app.App) *cobra.Command {
	return a.WithJSON("print the findings as JSON", &cobra.Command{
		Use:   "lint <issue>...",
		Short: "Name the acceptance criteria that cannot be checked",
		Long: `Name the acceptance criteria that cannot be checked, and say what to write instead:
words without a measure ("fast", "properly"), several demands in one criterion, work
without an outcome, criteria that say the same. Errors are what a drive would refuse or
wait for forever: no criteria, a duplicate id, a dependency that does not exist.

Exit codes: 0 nothing was found, 3 warnings, 1 errors.`,
		Example: "  warp issue lint 42\n  warp issue lint 42 43 --json | jq '.[].findings'",
		Args:    app.IssueNumbers(1, 0),
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			all := []linted{}
			for _, arg := range args {
				i, err := t.Get(ctx, app.IssueNumber(arg))
				if err != nil {
					return err
				}
				l, err := examine(ctx, t, i)
				if err != nil {
					return err
				}
				if all = append(all, l); !a.AsJSON {
					l.print(a)
				}
			}
			if a.AsJSON {
				if err := a.JSON(all); err != nil {
					return err
				}
			}
			return lintCode(all)
		}),
	})
}

// lintCode returns the exit code for the findings.
func lintCode(all []linted) error {
	code := app.Done
	for _, l := range all {
		for _, f := range l.Findings {
			if f.Error {
				return &app.Silent{Code: app.Failed}
			}
			code = app.Partly
		}
	}
	if code == app.Done {
		return nil
	}
	return &app.Silent{Code: code}
}

// examine lints one issue, including its dependencies.
func examine(ctx context.Context, t forge.Tracker, i forge.Issue) (linted, error) {
	list, _ := criteria.Parse(i.Body) // a duplicate name is a finding
	l := linted{Issue: i.Number, Title: i.Title, Criteria: len(list), Findings: append([]criteria.Finding{}, criteria.Lint(i.Body)...)}
	for _, n := range forge.Dependencies(i.Body) {
		why, err := findBrokenDependency(ctx, t, i.Number, n)
		if err != nil {
			return l, err
		}
		if why != "" {
			l.Findings = append(l.Findings, criteria.Finding{Rule: "dependency", Error: true, Message: why, Do: "correct the number, or remove the line"})
		}
	}
	return l, nil
}

// findBrokenDependency returns why an issue cannot depend on another, or "".
func findBrokenDependency(ctx context.Context, t forge.Tracker, issue, on int) (why string, err error) {
	if issue == on {
		return "it depends on itself", nil
	}
	_, err = t.Get(ctx, on)
	if forge.Is(err, forge.NotFound) {
		return fmt.Sprintf("it depends on #%d, which does not exist", on), nil
	}
	return "", err
}

func (l linted) print(a *app.App) {
	verdict := "nothing to improve"
	if n := len(l.Findings); n > 0 {
		verdict = text.Count(n, "finding")
	}
	a.Printf("#%d %s: %s, %s\n", l.Issue, text.VisibleLine(l.Title), text.Count(l.Criteria, "criterion"), verdict)
	for _, f := range l.Findings {
		kind, where := "warning", ""
		if f.Error {
			kind = "error"
		}
		if f.Criterion != "" {
			where = fmt.Sprintf(" %s (line %d)", f.Criterion, f.Line)
		}
		a.Printf("  %s%s: %s\n      %s\n", kind, where, text.VisibleLine(f.Message), f.Do)
	}
}

// Check lints an issue and prints the findings; it reports whether a drive would refuse it.
func Check(ctx context.Context, a *app.App, t forge.Tracker, i forge.Issue) (refused bool, err error) {
	l, err := examine(ctx, t, i)
	if err != nil {
		return false, err
	}
	l.print(a)
	return slices.ContainsFunc(l.Findings, func(f criteria.Finding) bool { return f.Error }), nil
}
