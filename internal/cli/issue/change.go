package issue

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/engine/forge"
)

func edit(a *app.App) *cobra.Command {
	var title, body, from string
	var add, remove []string
	c := a.WithJSON("print the issue as JSON", &cobra.Command{
		Use:   "edit <issue>",
		Short: "Change an issue's title, text or labels",
		Long: `Change an issue's title, text or labels. In a terminal, without any of them, your
editor ($VISUAL or $EDITOR) opens with the issue: the first line is its title.`,
		Example: "  warp issue edit 42\n  warp issue edit 42 --add-label approved --remove-label draft\n  warp issue edit 42 --body-file spec.md",
		Args:    app.IssueNumbers(1, 1),
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			n := app.IssueNumber(args[0])
			switch nothing := title+body+from == "" && len(add)+len(remove) == 0; {
			case body != "" && from != "":
				return app.WrongUsage("--body and --body-file cannot be combined")
			case nothing && Attended(a):
				if err := rewrite(ctx, a, t, n); err != nil {
					return err
				}
			case nothing:
				return app.WrongUsage("nothing to change: give --title, --body, --body-file, --add-label or --remove-label")
			}
			if from != "" {
				var err error
				if body, err = readText(a, from); err != nil {
					return err
				}
			}
			if from != "" || body != "" {
				if err := t.Edit(ctx, n, replaceUnchanged(n, nil, body)); err != nil {
					return err
				}
			}
			if title != "" {
				if err := t.Retitle(ctx, n, title); err != nil {
					return err
				}
			}
			if len(add)+len(remove) > 0 {
				if err := t.Label(ctx, n, add, remove); err != nil {
					return err
				}
			}
			return done(ctx, a, t, n, "changed")
		}),
	})
	c.Flags().StringVarP(&title, "title", "t", "", "another title")
	c.Flags().StringVarP(&body, "body", "b", "", "another text")
	c.Flags().StringVarP(&from, "body-file", "F", "", "file with the new text; - is standard input")
	c.Flags().StringArrayVar(&add, "add-label", nil, "a label to add; repeatable")
	c.Flags().StringArrayVar(&remove, "remove-label", nil, "a label to remove; repeatable")
	return c
}

// rewrite lets a person change an issue in the editor.
func rewrite(ctx context.Context, a *app.App, t forge.Tracker, n int) error {
	i, err := t.Get(ctx, n)
	if err != nil {
		return err
	}
	w, err := compose(ctx, a, i.Title, i.Body)
	if errors.Is(err, errCancelled) {
		return fmt.Errorf("#%d was not changed: the text was left empty or unchanged", n)
	}
	if err != nil {
		return err
	}
	if w.body != i.Body {
		err = t.Edit(ctx, n, replaceUnchanged(n, &i.Body, w.body))
	}
	if err == nil && w.title != i.Title {
		err = t.Retitle(ctx, n, w.title)
	}
	if err != nil {
		return fmt.Errorf("%w; your text is in %s", err, w.draft.Path)
	}
	return w.draft.Discard()
}

// replaceUnchanged returns an edit that replaces the whole text, and refuses if it has changed since
// first was read; nil: the current text.
func replaceUnchanged(n int, first *string, body string) func(string) (string, error) {
	return func(now string) (string, error) {
		if first == nil {
			first = &now
		}
		if *first != now {
			return "", fmt.Errorf("editing issue %d: its text was changed at the same time, so it was left alone; look at it, then edit it again", n)
		}
		return body, nil
	}
}

func closing(a *app.App) *cobra.Command {
	var comment string
	c := a.WithJSON("print the issue as JSON", &cobra.Command{
		Use:     "close <issue>",
		Short:   "Close an issue",
		Example: "  warp issue close 42\n  warp issue close 42 --comment 'Done in 1a2b3c4'",
		Args:    app.IssueNumbers(1, 1),
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			n := app.IssueNumber(args[0])
			if comment != "" {
				if err := t.Comment(ctx, n, forge.NewComment{Body: comment}); err != nil {
					return err
				}
			}
			if err := t.Close(ctx, n); err != nil {
				return err
			}
			return done(ctx, a, t, n, "closed")
		}),
	})
	c.Flags().StringVarP(&comment, "comment", "c", "", "comment before closing")
	return c
}

func done(ctx context.Context, a *app.App, t forge.Tracker, n int, word string) error {
	if !a.AsJSON {
		a.Printf("%s #%d\n", word, n)
		return nil
	}
	i, err := t.Get(ctx, n)
	if err != nil {
		return err
	}
	return a.JSON(i)
}
