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
	var title, from string
	var add, remove []string
	var asJSON bool
	c := &cobra.Command{
		Use:     "edit <issue>",
		Short:   "Change an issue's title, text or labels",
		Example: "  warp issue edit 42 --add-label approved --remove-label draft\n  warp issue edit 42 --body-file spec.md",
		Args:    oneNumber,
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			if title == "" && from == "" && len(add)+len(remove) == 0 {
				return &app.UsageError{Err: errors.New("nothing to change: give --title, --body-file, --add-label or --remove-label")}
			}
			n := number(args[0])
			if from != "" {
				body, err := readText(a, from)
				if err != nil {
					return err
				}
				if err := t.Edit(ctx, n, replace(n, body)); err != nil {
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
			return done(ctx, a, t, n, asJSON, "changed")
		}),
	}
	c.Flags().StringVarP(&title, "title", "t", "", "another title")
	c.Flags().StringVarP(&from, "body-file", "F", "", "file with the new text; - is standard input")
	c.Flags().StringArrayVar(&add, "add-label", nil, "a label to add; repeatable")
	c.Flags().StringArrayVar(&remove, "remove-label", nil, "a label to remove; repeatable")
	c.Flags().BoolVar(&asJSON, "json", false, "print the issue as JSON")
	return c
}

// replace puts a whole text in another's place. When that has changed since, it
// is not the one that was to be replaced.
func replace(n int, body string) func(string) (string, error) {
	var first *string
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
	var asJSON bool
	c := &cobra.Command{
		Use:     "close <issue>",
		Short:   "Close an issue",
		Example: "  warp issue close 42\n  warp issue close 42 --comment 'Done in 1a2b3c4'",
		Args:    oneNumber,
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, args []string) error {
			n := number(args[0])
			if comment != "" {
				if err := t.Comment(ctx, n, forge.NewComment{Body: comment}); err != nil {
					return err
				}
			}
			if err := t.Close(ctx, n); err != nil {
				return err
			}
			return done(ctx, a, t, n, asJSON, "closed")
		}),
	}
	c.Flags().StringVarP(&comment, "comment", "c", "", "comment before closing")
	c.Flags().BoolVar(&asJSON, "json", false, "print the issue as JSON")
	return c
}

func done(ctx context.Context, a *app.App, t forge.Tracker, n int, asJSON bool, word string) error {
	if !asJSON {
		a.Printf("%s #%d\n", word, n)
		return nil
	}
	i, err := t.Get(ctx, n)
	if err != nil {
		return err
	}
	return a.JSON(i)
}
