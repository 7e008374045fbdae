package issue

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/name"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// maxIssue bounds the text of an issue.
const maxIssue = 1 << 20

func record(a *app.App) *cobra.Command {
	var from string
	var asJSON bool
	c := &cobra.Command{
		Use:   "criteria <issue>",
		Short: "Record the acceptance criteria of an issue, in its own words",
		Long: `Record the acceptance criteria of an issue: the checkboxes in its Markdown. One
that names itself (- [ ] AC-01: text) keeps its name, the others are named by
their position. They are put before the agent again, in these words, before a
phase is left. The text comes from --from, or from .claude/issues/N.md.`,
		Example: "  gh issue view 42 --json body --jq .body | warp issue criteria 42 --from -\n  warp issue criteria 42 --from spec.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !name.Valid(args[0]) {
				return &app.UsageError{Err: errors.New("expected one issue: a number, or " + name.Rule)}
			}
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			text, err := source(a, d, from, args[0])
			if err != nil {
				return err
			}
			list, err := d.Record(args[0], text)
			if err != nil {
				return err
			}
			if asJSON {
				return a.JSON(list)
			}
			if len(list) == 0 {
				return fmt.Errorf("the text of issue %s has no checkboxes (- [ ] …), so there are no criteria", args[0])
			}
			for _, c := range list {
				a.Printf("%s %s\n", c.ID, render.Printable(c.Text))
			}
			return nil
		}),
	}
	c.Flags().StringVar(&from, "from", "", "file with the issue's text; - is standard input")
	c.Flags().BoolVar(&asJSON, "json", false, "print the criteria as JSON")
	return c
}

func source(a *app.App, d *turnstile.Drive, from, issue string) (string, error) {
	if from == "-" {
		return read(a.In, issue)
	}
	if from == "" {
		from = filepath.Join(d.Root(), turnstile.IssueFile(issue))
	} else if !filepath.IsAbs(from) {
		from = filepath.Join(a.Dir, from)
	}
	f, err := os.Open(from)
	if err != nil {
		return "", fmt.Errorf("reading the text of issue %s: %w (pass it with --from)", issue, err)
	}
	defer f.Close()
	return read(f, issue)
}

func read(in io.Reader, issue string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxIssue))
	if err != nil {
		return "", fmt.Errorf("reading the text of issue %s: %w", issue, err)
	}
	return string(text), nil
}
