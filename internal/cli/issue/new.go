package issue

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

type newIssueFlags struct {
	forge.NewIssue
	from, template string
}

func file(a *app.App) *cobra.Command {
	var f newIssueFlags
	var given func(string) bool
	c := a.WithJSON("print the issue as JSON", &cobra.Command{
		Use:   "new [--title <title>]",
		Short: "File an issue, and print its number",
		Long: `File an issue, and print its number. Its text comes from --body or --body-file. In a
terminal, without either, your editor ($VISUAL or $EDITOR) opens with a template: the
first line is the title, and a text left empty or unchanged files nothing. What you
wrote is kept in a file when it could not be filed.

--template names a template: default, or a file of .claude/templates or
.github/ISSUE_TEMPLATE, without .md.`,
		Example: `  warp issue new
  warp issue new --title 'Parse mail' --body '- [ ] an empty mail is rejected with exit code 1'
  warp issue new --title 'Parse mail' --body-file spec.md --label req --label approved
  warp issue new --template bug`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return app.WrongUsage("%q: warp issue new takes only flags; the title is --title %q", args[0], args[0])
			}
			given = c.Flags().Changed
			return f.check(a, given)
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			t, err := tracker.Open(ctx, a, d)
			if err != nil {
				return err
			}
			i, err := f.file(ctx, a, d, t, f.usesEditor(a, given))
			if err != nil {
				return err
			}
			if a.AsJSON {
				return a.JSON(i)
			}
			a.Printf("%d\n", i.Number)
			if Attended(a) && i.ApprovedBy == "" {
				a.Note("filed #%d; a drive takes it after warp issue approve %d", i.Number, i.Number)
			}
			return nil
		}),
	})
	c.Flags().StringVarP(&f.Title, "title", "t", "", "its title")
	c.Flags().StringVarP(&f.Body, "body", "b", "", "its text")
	c.Flags().StringVarP(&f.from, "body-file", "F", "", "file with its text; - is standard input")
	c.Flags().StringVarP(&f.template, "template", "T", "", "write it in your editor, beginning with this template")
	c.Flags().StringArrayVarP(&f.Labels, "label", "l", nil, "a label; repeatable")
	c.Flags().StringArrayVar(&f.Assignees, "assignee", nil, "an assignee; repeatable")
	c.Flags().StringVar(&f.Once, "once", "", "if an issue has this text in its body, print its number and file nothing; else add it to the body")
	return c
}

// usesEditor reports whether the text comes from the editor.
func (f *newIssueFlags) usesEditor(a *app.App, given func(string) bool) bool {
	return given("template") || !given("body") && !given("body-file") && Attended(a)
}

func (f *newIssueFlags) check(a *app.App, given func(string) bool) error {
	texts := 0
	for _, name := range []string{"body", "body-file", "template"} {
		if given(name) {
			texts++
		}
	}
	switch {
	case texts > 1:
		return app.WrongUsage("--body, --body-file and --template cannot be combined")
	case f.Title == "" && !f.usesEditor(a, given):
		return app.WrongUsage("a new issue needs a --title")
	}
	return nil
}

// file files the issue once its text is known.
func (f *newIssueFlags) file(ctx context.Context, a *app.App, d *turnstile.Drive, t forge.Tracker, edited bool) (forge.Issue, error) {
	if edited {
		begin, err := readTemplate(d.Root(), f.template)
		if err != nil {
			return forge.Issue{}, err
		}
		w, err := compose(ctx, a, f.Title, begin)
		if err != nil {
			return forge.Issue{}, err
		}
		f.Title, f.Body = w.title, w.body
		i, err := t.Create(ctx, f.NewIssue)
		if err != nil {
			return i, w.keep(err)
		}
		return i, w.draft.Discard()
	}
	if f.from != "" {
		body, err := readText(a, f.from)
		if err != nil {
			return forge.Issue{}, err
		}
		f.Body = body
	}
	return t.Create(ctx, f.NewIssue)
}

// Write files a requirement, as warp issue new does: with a text or, if empty, from the editor.
func Write(ctx context.Context, a *app.App, d *turnstile.Drive, t forge.Tracker, title, body string) (forge.Issue, error) {
	f := newIssueFlags{NewIssue: forge.NewIssue{Title: title, Body: body, Labels: []string{requirement}}}
	return f.file(ctx, a, d, t, body == "")
}
