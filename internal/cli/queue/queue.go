// Package queue is warp queue: the work queue of the quality loop.
package queue

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "queue",
		Short: "Show and change the work queue of the quality loop: list, add, done, move",
		Long: `Show and change the work queue of the quality loop, .claude/state/loop/work_queue.json.

Items come from assessments, from failing gates (one for each failing test), from
errors that cannot be retried, and from you. The most urgent come first: S0, then
S1, S2, S3; items of the same priority in queue order. A loop ends when all gates
have passed twice in a row with an empty queue.

Items of a gate are done when the gate passes: one closed by hand while its test
fails is reopened.`,
		Example: "  warp queue list\n  warp queue add \"Handle empty carts\" --priority S1\n  warp queue move work-003 S0\n  warp queue done work-002",
	}
	c.AddCommand(list(a), add(a), done(a), move(a))
	return c
}

func list(a *app.App) *cobra.Command {
	var all bool
	c := a.WithJSON("print them as JSON", &cobra.Command{
		Use:     "list",
		Short:   "List open items, the most urgent first",
		Example: "  warp queue list\n  warp queue list --all\n  warp queue list --json | jq -r '.[] | select(.priority == \"S0\") | .title'",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			q, err := read(a, d)
			if err != nil {
				return err
			}
			return show(a, q, all)
		}),
	})
	c.Flags().BoolVar(&all, "all", false, "also list done items")
	return c
}

// read returns the queue, empty if there is none.
func read(a *app.App, d *turnstile.Drive) (*workqueue.Queue, error) {
	v, err := d.Project.Queue().Read()
	if durable.IsMissing(err) {
		return &workqueue.Queue{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the work queue: %w", err)
	}
	a.Notes(append(v.Notes, v.Doc.DescribeUnread()...))
	return v.Doc, nil
}

// shown is an item as --json prints it.
type shown struct {
	ID          string             `json:"id"`
	Priority    workqueue.Priority `json:"priority"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Status      string             `json:"status"`
	Added       int                `json:"added_iteration"`
	Completed   *int               `json:"completed_iteration"`
	Source      string             `json:"source,omitempty"`
	Files       []string           `json:"files,omitempty"`
}

func asShown(i workqueue.Item) shown {
	return shown{i.ID, i.Priority, i.Title, i.Description, i.Status, i.AddedIteration, i.CompletedIteration, i.Source, i.Files}
}

func show(a *app.App, q *workqueue.Queue, all bool) error {
	out, rows := []shown{}, [][]string{{"ID", "PRIORITY", "STATUS", "ITEM"}}
	for _, i := range q.Ordered() {
		if i.Status != workqueue.Done || all {
			out = append(out, asShown(i))
			rows = append(rows, []string{i.ID, string(i.Priority), status(i), i.Title})
		}
	}
	return app.ShowList(a, out, rows, "The work queue is empty.")
}

// status returns an item's status and its holder.
func status(i workqueue.Item) string {
	if by, ok := sessionstate.ParseHolder(i.Holder); ok {
		return i.Status + " (session " + by.Session + ")"
	}
	return i.Status
}

// edit changes the queue and prints the changed items.
func edit(a *app.App, d *turnstile.Drive, name string, fn func(*workqueue.Queue) ([]*workqueue.Item, error)) error {
	var changed []shown
	notes, err := d.Project.Queue().Update(func(tx *durable.Tx[workqueue.Queue]) error {
		if tx.Doc == nil {
			tx.Doc = &workqueue.Queue{Version: workqueue.Version}
		}
		items, err := fn(tx.Doc)
		var ids []string
		for _, i := range items {
			changed, ids = append(changed, asShown(*i)), append(ids, i.ID)
		}
		tx.Log(name, map[string][]string{"ids": ids})
		return err
	})
	a.Notes(notes)
	switch {
	case app.IsA[*workqueue.UnknownError](err):
		return &app.UsageError{Err: err}
	case app.IsA[*app.UsageError](err):
		return err
	case err != nil:
		return fmt.Errorf("writing the work queue: %w", err)
	}
	return a.Show(append([]shown{}, changed...), func() {
		for _, i := range changed {
			a.Printf("%s  %s  %s  %s\n", i.ID, i.Priority, i.Status, render.Printable(i.Title))
		}
	})
}
