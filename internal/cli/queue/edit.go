package queue

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/workqueue"
	"warp/internal/turnstile"
)

func priority(text string) (workqueue.Priority, error) {
	p, ok := workqueue.ParsePriority(text)
	if !ok {
		return "", app.WrongUsage("%q is not a priority; write S0, S1, S2 or S3", text)
	}
	return p, nil
}

func add(a *app.App) *cobra.Command {
	var urgency, description string
	c := a.WithJSON("print the item as JSON", &cobra.Command{
		Use:   "add <title>",
		Short: "Add an item to the queue",
		Long: `Add an item to the queue, behind the others of its priority. A second item with the
same title is not added; if the first was done, it is reopened.`,
		Example: "  warp queue add \"Handle empty carts\"\n  warp queue add \"Passwords are logged\" --priority S0 --description \"seen in login.go\"",
		Args:    app.Exactly(1, "the item's title, in quotes"),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			p, err := priority(urgency)
			if err != nil {
				return err
			}
			var note string
			err = edit(a, d, "added", func(q *workqueue.Queue) ([]*workqueue.Item, error) {
				it, outcome := q.Add(workqueue.Found{Title: args[0], Description: description, Priority: p, Source: workqueue.FromPerson})
				switch outcome {
				case workqueue.Refused:
					return nil, app.WrongUsage("an item needs a title")
				case workqueue.Full:
					return nil, fmt.Errorf("the queue is full (%d open items); finish some first", workqueue.MaxItems)
				case workqueue.Known:
					note = it.ID + " already exists"
				case workqueue.Reopened:
					note = it.ID + " was done and is reopened"
				}
				return []*workqueue.Item{it}, nil
			})
			if err == nil && note != "" {
				a.Note("%s", note)
			}
			return err
		}),
	})
	c.Flags().StringVar(&urgency, "priority", string(workqueue.S2), "S0 (most urgent) to S3")
	c.Flags().StringVar(&description, "description", "", "a longer description")
	return c
}

func done(a *app.App) *cobra.Command {
	return a.WithJSON("print the items as JSON", &cobra.Command{
		Use:     "done <id>...",
		Short:   "Mark items as done",
		Example: "  warp queue done work-002\n  warp queue done 2 3",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.WrongUsage("expected the ids of items, such as work-002")
			}
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			return edit(a, d, "done", func(q *workqueue.Queue) (items []*workqueue.Item, err error) {
				for _, id := range args {
					it, err := q.Done(id)
					if err != nil {
						return nil, err
					}
					items = append(items, it)
				}
				return items, nil
			})
		}),
	})
}

func move(a *app.App) *cobra.Command {
	var before string
	c := a.WithJSON("print the item as JSON", &cobra.Command{
		Use:   "move <id> [priority]",
		Short: "Change an item's priority or position",
		Long: `Change an item's priority: it goes behind the others of that priority. --before puts
it before another item instead, with that item's priority.`,
		Example: "  warp queue move work-003 S0\n  warp queue move work-003 --before work-001",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return app.WrongUsage("expected an item's id and a priority, or --before and another id")
			}
			return nil
		},
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			var to workqueue.Priority
			if len(args) == 2 {
				p, err := priority(args[1])
				if err != nil {
					return err
				}
				to = p
			} else if before == "" {
				return app.WrongUsage("expected an item's id and a priority, or --before and another id")
			}
			return edit(a, d, "moved", func(q *workqueue.Queue) ([]*workqueue.Item, error) {
				it, err := q.Move(args[0], to, before)
				if err != nil && !app.IsA[*workqueue.UnknownError](err) {
					err = &app.UsageError{Err: err}
				}
				if err != nil {
					return nil, err
				}
				return []*workqueue.Item{it}, nil
			})
		}),
	})
	c.Flags().StringVar(&before, "before", "", "the item to put it before")
	return c
}
