package workflowcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	engine "warp/internal/engine/checkpoint"
	"warp/internal/ui/render"
)

// pointDetail is a checkpoint with the content of its snapshot.
type pointDetail struct {
	checkpointJSON
	Status    workflowstate.Status `json:"status"`
	Completed []string             `json:"completed_tasks"`
	Pending   []string             `json:"pending_tasks"`
	Cost      string               `json:"cost_so_far"`
	Elapsed   string               `json:"elapsed_time"`
	Files     int                  `json:"files_changed_since"`
}

func showPoint(a *app.App) *cobra.Command {
	return a.WithJSON("print it as JSON", &cobra.Command{
		Use:     "show <number>",
		Short:   "Show a checkpoint: the tasks done by then, and what has changed since",
		Example: "  warp checkpoint show 2\n  warp checkpoint show 2 --json | jq -r '.completed_tasks[]'",
		Args:    app.Exactly(1, "a checkpoint's number"),
		RunE: withKeeper(a, func(ctx context.Context, k engine.Keeper, args []string) error {
			n, err := pointNumber(args[0])
			if err != nil {
				return err
			}
			d, err := loadDetail(ctx, k, n)
			if err != nil {
				return err
			}
			return a.Show(d, func() {
				rows := [][]string{
					{"checkpoint", fmt.Sprint(d.N)},
					{"made", render.Seconds(d.Timestamp)},
					{"phase", fmt.Sprint(d.Phase)},
					{"task", d.Task},
					{"commit", d.GitSHA},
					{"snapshot", d.Snapshot},
					{"status", string(d.Status)},
					{"completed", orNone(d.Completed)},
					{"pending", orNone(d.Pending)},
					{"used", d.Cost + ", " + d.Elapsed},
					{"since", fmt.Sprintf("%s changed (warp checkpoint diff %d)", text.Count(d.Files, "file"), d.N)},
				}
				if d.Note != "" {
					rows = slices.Insert(rows, 1, []string{"note", render.Printable(d.Note)})
				}
				render.Table(a.Out, rows)
			})
		}),
	})
}

func loadDetail(ctx context.Context, k engine.Keeper, n int) (d pointDetail, err error) {
	points, err := k.List(ctx)
	if err != nil {
		return d, err
	}
	i := slices.IndexFunc(points, func(p engine.Point) bool { return p.N == n })
	if i < 0 {
		return d, app.WrongUsage("the workflow has no checkpoint %d; warp checkpoint list shows them", n)
	}
	s, err := k.Snapshot(n)
	if err != nil {
		return d, err
	}
	d = pointDetail{checkpointJSON: asShown(points[i]), Status: s.Orchestrator.Status, Cost: workflowstate.CostText(s.SafetyBounds.Cost(), s.SafetyBounds.Unpriced), Elapsed: s.SafetyBounds.ElapsedTime, Completed: []string{}, Pending: []string{}}
	for _, t := range s.CompletedTasks {
		d.Completed = append(d.Completed, t.Task)
	}
	for _, t := range s.PendingTasks {
		d.Pending = append(d.Pending, t.Task)
	}
	from, to, err := treesOf(ctx, k, n, 0)
	if err != nil {
		return d, err
	}
	stat, err := k.Work.Stat(ctx, from, to)
	d.Files = stat.Files
	return d, err
}

func orNone(tasks []string) string {
	if len(tasks) == 0 {
		return "none"
	}
	return strings.Join(tasks, ", ")
}

// treesOf returns the trees of two checkpoints; 0 is the current work tree.
func treesOf(ctx context.Context, k engine.Keeper, n, m int) (from, to string, err error) {
	if from, err = k.Tree(ctx, n); err == nil {
		to, err = k.Tree(ctx, m)
	}
	return from, to, err
}

// maxDiff is the most bytes of a patch to print.
const maxDiff = 16 << 20

func diffPoints(a *app.App) *cobra.Command {
	var stat bool
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "diff <number> [number]",
		Short: "Show what has changed since a checkpoint, or between two",
		Long: `Show what has changed in the work tree since a checkpoint, or between two, as a patch.
It includes untracked files, but not ignored ones.`,
		Example: "  warp checkpoint diff 2\n  warp checkpoint diff 2 3 --stat\n  warp checkpoint diff 3 2 | git apply",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return app.WrongUsage("expected one or two checkpoint numbers, got %d arguments", len(args))
			}
			return nil
		},
		RunE: withKeeper(a, func(ctx context.Context, k engine.Keeper, args []string) error {
			var nums [2]int
			for i, arg := range args {
				n, err := pointNumber(arg)
				if err != nil {
					return err
				}
				nums[i] = n
			}
			from, to, err := treesOf(ctx, k, nums[0], nums[1])
			if err != nil {
				return err
			}
			if a.AsJSON || stat {
				return printStat(ctx, a, k, from, to)
			}
			return patch(ctx, a, k, from, to)
		}),
	})
	c.Flags().BoolVar(&stat, "stat", false, "only list the files, with line counts")
	return c
}

func printStat(ctx context.Context, a *app.App, k engine.Keeper, from, to string) error {
	s, err := k.Work.Stat(ctx, from, to)
	if err != nil {
		return err
	}
	return a.Show(struct {
		Files      int      `json:"files"`
		Insertions int      `json:"insertions"`
		Deletions  int      `json:"deletions"`
		Paths      []string `json:"paths"`
	}{s.Files, s.Insertions, s.Deletions, append([]string{}, s.Paths...)}, func() {
		for _, p := range s.Paths {
			a.Printf("%s\n", render.Printable(p))
		}
		a.Printf("%s changed, %s added, %d removed\n", text.Count(s.Files, "file"), text.Count(s.Insertions, "line"), s.Deletions)
	})
}

// patch prints a patch, with control characters escaped on a terminal: the content of a file
// must not move the cursor.
func patch(ctx context.Context, a *app.App, k engine.Keeper, from, to string) error {
	text, cut, err := k.Work.Diff(ctx, from, to, maxDiff)
	if err != nil {
		return err
	}
	if a.Screen {
		text = render.Printable(text)
	}
	a.Printf("%s", text)
	if cut {
		a.Note("the patch is cut; --stat lists all files")
	}
	return nil
}
