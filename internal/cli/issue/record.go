package issue

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/criteria"
	"warp/internal/core/issuefile"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func record(a *app.App) *cobra.Command {
	var from string
	c := a.WithJSON("print the criteria as JSON", &cobra.Command{
		Use:   "criteria <issue>",
		Short: "Record the acceptance criteria of an issue, in its words",
		Long: `Record the acceptance criteria of an issue: the checkboxes in its Markdown. One
with a name (- [ ] AC-01: text) keeps it, the others are named by their position.
The agent sees them again, in these words, before a phase ends. The text comes from
--from, or from the tracker.`,
		Example: "  warp issue criteria 42\n  warp issue criteria 42 --from spec.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				args[0] = app.IssueName(args[0])
			}
			if len(args) != 1 || !text.ValidName(args[0]) {
				return &app.UsageError{Err: errors.New("expected one issue: a number, or " + text.NameRule)}
			}
			return nil
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			title, text, err := readIssue(ctx, a, d, from, args[0])
			if err != nil {
				return err
			}
			if found, err := criteria.Parse(text); err == nil && len(found) == 0 {
				return fmt.Errorf("the text of issue %s has no checkboxes (- [ ] …), so there are no criteria", args[0])
			}
			list, err := d.Criteria.RecordTitled(args[0], title, text)
			if err != nil {
				return err
			}
			return a.Show(list, func() {
				for _, c := range list {
					a.Printf("%s %s\n", c.ID, render.Printable(c.Text))
				}
			})
		}),
	})
	c.Flags().StringVar(&from, "from", "", "file with the issue's text; - is standard input")
	return c
}

// readIssue returns the text of an issue: from --from, or else from the tracker. An issue whose
// name is not a number is a file.
func readIssue(ctx context.Context, a *app.App, d *turnstile.Drive, from, issue string) (title, body string, err error) {
	if from != "" {
		body, err = readText(a, from)
		return "", body, err
	}
	n := app.IssueNumber(issue)
	if n == 0 {
		file := filepath.Join(d.Root(), turnstile.IssueFile(issue))
		all, err := readText(a, file)
		if err != nil {
			return "", "", err
		}
		parts, err := issuefile.Split(all)
		if err != nil {
			return "", "", fmt.Errorf("reading %s: %w; correct it", turnstile.IssueFile(issue), err)
		}
		return parts.Title(), parts.Body, nil
	}
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return "", "", err
	}
	i, err := t.Get(ctx, n)
	if err != nil {
		return "", "", fmt.Errorf("%w (or pass the text with --from)", err)
	}
	return i.Title, i.Body, nil
}
