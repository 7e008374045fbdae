package issue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/criteria"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
)

// linted holds the findings in one issue, and how its criteria will likely be proven.
type linted struct {
	Issue       int                   `json:"issue"`
	Title       string                `json:"title"`
	Criteria    int                   `json:"criteria"`
	Findings    []criteria.Finding    `json:"findings"`
	Predictions []criteria.Prediction `json:"predictions"`
}

func lint(a *app.App) *cobra.Command {
	return a.WithJSON("print findings and predictions as JSON", &cobra.Command{
		Use:   "lint <issue>...",
		Short: "Name the acceptance criteria that cannot be checked, and what can prove the others",
		Long: `Name the acceptance criteria that cannot be checked, and say what to write instead:
words without a measure ("fast", "properly"), several demands in one criterion, work
without an outcome, criteria that say the same. Errors are what a drive would refuse or
wait for forever: no criteria, a duplicate id, a dependency that does not exist.

Then each criterion has a line with what its words let expect: new (behaviour that is
not there yet), keeps (behaviour that must stay), shape (a name, file, text or dependency
that must or must not be there), read (documentation, wording, looks: only a reader can
tell) or cannot (it needs a service, hardware or a person). Where a test that somebody
else writes would have to guess, the line says how to word it. This is a hint, not a
finding. All rules know English only; what they do not recognise is new.

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
	l := linted{Issue: i.Number, Title: i.Title, Criteria: len(list), Findings: append([]criteria.Finding{}, criteria.Lint(i.Body)...), Predictions: append([]criteria.Prediction{}, criteria.Predict(i.Body)...)}
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
	a.Printf("#%d %s: %s, %s\n", l.Issue, text.VisibleLine(l.Title), text.Count(l.Criteria, "criterion"), l.verdict())
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
	for _, p := range l.Predictions {
		a.Printf("  %s  likely %s: %s", p.Criterion, strings.Join(p.Kinds, " and "), p.Message)
		if p.Do != "" {
			a.Printf("; %s", p.Do)
		}
		a.Printf("\n")
	}
}

// verdict counts findings, and hints on how to word a criterion better.
func (l linted) verdict() string {
	var list []string
	if n := len(l.Findings); n > 0 {
		list = append(list, text.Count(n, "finding"))
	}
	hints := 0
	for _, p := range l.Predictions {
		if p.Do != "" {
			hints++
		}
	}
	if hints > 0 {
		list = append(list, text.Count(hints, "hint"))
	}
	if len(list) == 0 {
		return "nothing to improve"
	}
	return strings.Join(list, ", ")
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
