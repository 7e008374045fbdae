package issue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/adapter/forge/local"
	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/ui/render"
)

type row struct {
	forge.Issue
	Priority int   `json:"priority"`
	WaitsFor []int `json:"waits_for,omitempty"`
	// Elsewhere lists issues of other repositories that it depends on; only a fleet waits for
	// them.
	Elsewhere []string `json:"waits_for_elsewhere,omitempty"`
}

func newRow(i forge.Issue, waits []int) row {
	return row{i, forge.Priority(i), waits, forge.OutsideDependencies(i.Body)}
}

func list(a *app.App) *cobra.Command {
	var q forge.Query
	var limit int
	c := a.WithJSON("print the issues as JSON", &cobra.Command{
		Use:   "list",
		Short: "List issues in the order of work",
		Long: `List issues in the order of work: by priority (labels p0 to p3; none counts as
p2), then by number. Those that depend on an open issue (depends on #N, blocked
by #N) come last and say what they wait for. APPROVED is who added the label
approved, if that counts; warp issue show says why it does not.`,
		Example: "  warp issue list\n  warp issue list --label req --label approved --json",
		RunE: onTracker(a, func(ctx context.Context, t forge.Tracker, _ []string) error {
			if limit < 0 {
				return app.WrongUsage("--limit %d: it must not be negative", limit)
			}
			issues, err := t.List(ctx, q)
			noteOdd(a, t)
			if err != nil && len(issues) == 0 {
				return err
			}
			rows := inOrder(issues, forge.StillOpen(ctx, t))
			if limit > 0 {
				rows = rows[:min(limit, len(rows))]
			}
			if a.AsJSON {
				return errors.Join(a.JSON(rows), err)
			}
			if len(rows) > 0 {
				table(a, rows)
			}
			return err
		}),
	})
	c.Flags().StringArrayVarP(&q.Labels, "label", "l", nil, "only issues with this label; repeatable: with all of them")
	c.Flags().BoolVar(&q.Closed, "all", false, "also closed issues")
	c.Flags().IntVar(&limit, "limit", 0, "at most this many; 0: all")
	return c
}

// noteOdd says which files look like issues and are not listed.
func noteOdd(a *app.App, t forge.Tracker) {
	odd, err := local.ListOdd(t)
	if err != nil || len(odd) == 0 {
		return // if nothing can be listed, listing the issues reports the error
	}
	a.Note("not listed: %s of .claude/issues (%s): an issue must be a regular file named NUMBER.md; see ls -l .claude/issues", text.Count(len(odd), "file"), text.Quote(odd, 5))
}

func inOrder(issues []forge.Issue, open func(int) bool) []row {
	rows := []row{}
	ready, held := forge.Order(issues, open)
	for _, i := range ready {
		rows = append(rows, newRow(i, nil))
	}
	for _, h := range held {
		rows = append(rows, newRow(h.Issue, h.By))
	}
	for _, i := range issues {
		if !i.Open {
			rows = append(rows, newRow(i, nil))
		}
	}
	return rows
}

func table(a *app.App, rows []row) {
	cells := [][]string{{"#", "PRIO", "LABELS", "APPROVED", "TITLE"}}
	for _, r := range rows {
		title := text.VisibleLine(r.Title)
		if len(r.WaitsFor) > 0 {
			title += fmt.Sprintf(" (waits for %s)", numbers(r.WaitsFor))
		}
		if !r.Open {
			title += " (closed)"
		}
		cells = append(cells, []string{fmt.Sprint(r.Number), fmt.Sprint("p", r.Priority), cmp.Or(text.VisibleLine(strings.Join(r.Labels, ",")), "-"), cmp.Or(text.VisibleLine(r.ApprovedBy), "-"), title})
	}
	render.Table(a.Out, cells)
}

func numbers(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprint("#", n))
	}
	return strings.Join(out, ", ")
}
