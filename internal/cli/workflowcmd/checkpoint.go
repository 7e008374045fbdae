package workflowcmd

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/durable"
	engine "warp/internal/engine/checkpoint"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/render"
)

// NewCheckpoint returns the command.
func NewCheckpoint(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "checkpoint",
		Short: "List, show, compare, create and restore checkpoints of a workflow",
		Long: `List, show, compare, create and restore checkpoints of a workflow.

A workflow makes a checkpoint before each task and at the end of each phase; you can
make one whenever it is paused. A checkpoint is the work tree, as a commit that git
keeps, and the state, in .claude/checkpoint-NNN.json. Restoring brings back both and
loses nothing: the current state is saved first, and newer checkpoints stay, so that
you can go forward again.`,
		Example: "  warp checkpoint list\n  warp checkpoint diff 2\n  warp checkpoint create 'before I try the other library'\n  warp checkpoint restore 2",
	}
	c.AddCommand(listPoints(a), showPoint(a), diffPoints(a), createPoint(a), restorePoint(a))
	return c
}

func keeper(ctx context.Context, a *app.App, d *turnstile.Drive) (engine.Keeper, error) {
	tree, err := workflow.TreeOf(ctx, d.Root(), documents.PeekWorkflow(d.Store()), false)
	if err != nil {
		return engine.Keeper{}, err
	}
	return engine.Keeper{Store: d.Store(), Work: tree, Now: a.Env.Now, PID: a.Env.PID, Host: app.Hostname()}, nil
}

// withKeeper turns a function on checkpoints into a cobra command.
func withKeeper(a *app.App, fn func(context.Context, engine.Keeper, []string) error) func(*cobra.Command, []string) error {
	return a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
		k, err := keeper(ctx, a, d)
		if err != nil {
			return err
		}
		err = fn(ctx, k, args)
		if durable.IsMissing(err) {
			return app.WrongUsage("there is no workflow here: warp workflow run TASK.md starts one")
		}
		return err
	})
}

// pointNumber parses a checkpoint's number.
func pointNumber(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, app.WrongUsage("%q is not a checkpoint number; warp checkpoint list shows them", text)
	}
	return n, nil
}

type checkpointJSON struct {
	N          int    `json:"checkpoint"`
	Timestamp  string `json:"timestamp"`
	Phase      int    `json:"phase"`
	Task       string `json:"task"`
	GitSHA     string `json:"git_sha"`
	Snapshot   string `json:"state_snapshot"`
	Manual     bool   `json:"manual,omitempty"`
	Note       string `json:"note,omitempty"`
	Left       bool   `json:"left_behind"`
	Restorable bool   `json:"restorable"`
}

func asShown(p engine.Point) checkpointJSON {
	return checkpointJSON{p.N, p.Timestamp, p.Phase, p.Task, p.GitSHA, p.StateSnapshot, p.Manual, p.Note, p.Left, p.Usable()}
}

// remark describes what is special about a checkpoint.
func remark(p engine.Point) string {
	note := render.Printable(p.Note)
	if p.Manual && note == "" {
		note = "made by hand"
	}
	return text.JoinNonEmpty("; ", describeDamage(p), note)
}

// describeDamage describes what a checkpoint has lost, or returns "".
func describeDamage(p engine.Point) string {
	switch {
	case p.NoCommit:
		return "its commit is gone"
	case p.NoSnapshot:
		return "its snapshot is gone"
	case p.Left:
		return "left behind"
	}
	return ""
}

func listPoints(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use:   "list",
		Short: "List the checkpoints, oldest first",
		Long: `List the checkpoints of the workflow, oldest first.

"left behind" means that an older checkpoint was restored since: you can still go
forward to this one, but it is not part of the current work.`,
		Example: "  warp checkpoint list\n  warp checkpoint list --json | jq -r '.[] | select(.restorable) | .checkpoint'",
		RunE: withKeeper(a, func(ctx context.Context, k engine.Keeper, _ []string) error {
			points, err := k.List(ctx)
			if err != nil && !durable.IsMissing(err) {
				return err
			}
			if n, under, err := k.Interrupted(); under && err == nil {
				a.Note("%v", (&engine.InterruptedError{N: n}))
			}
			out, rows := []checkpointJSON{}, [][]string{{"CHECKPOINT", "MADE", "PHASE", "TASK", "COMMIT", ""}}
			for _, p := range points {
				out = append(out, asShown(p))
				rows = append(rows, []string{strconv.Itoa(p.N), render.Seconds(p.Timestamp), strconv.Itoa(p.Phase), p.Task, text.Hash(p.GitSHA), remark(p)})
			}
			return app.ShowList(a, out, rows, "There are no checkpoints.")
		}),
	})
}
