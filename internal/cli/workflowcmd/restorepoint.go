package workflowcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	engine "warp/internal/engine/checkpoint"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/render"
)

func restorePoint(a *app.App) *cobra.Command {
	var yes bool
	c := a.WithJSON("print what was done as JSON", &cobra.Command{
		Use:   "restore <number>",
		Short: "Restore a checkpoint: work tree, branch and state together",
		Long: `Restore a checkpoint, older or newer: the work tree becomes exactly what it was, the
workflow's branch moves to the commit that was checked out, and
.claude/agent-state.json becomes the snapshot. The list of checkpoints keeps newer
ones, so that you can go forward again.

The current state is saved first: the work tree and the tip of the branch under
refs/warp/checkpoint/, the state beside it. Ignored files stay where they are. It is
refused, and changes nothing, while a workflow runs, a drive is active, or a merge or
rebase is in progress; when another branch is checked out; and when ignored files are
in the way. If it is interrupted, run it again to complete it.

On a terminal it asks first; elsewhere it needs --yes.

Exit codes: 0 done, 1 refused, 4 called by an agent that warp runs, 11 a workflow or
drive is running, 13 --yes is needed.`,
		Example: "  warp checkpoint restore 2\n  warp checkpoint restore 2 --yes --json | jq -r '.salvage[]'",
		Args:    app.Exactly(1, "a checkpoint's number"),
		RunE: withKeeper(a, func(ctx context.Context, k engine.Keeper, args []string) error {
			n, err := pointNumber(args[0])
			if err != nil {
				return err
			}
			s, err := k.Snapshot(n)
			if err != nil {
				return err
			}
			if !yes && (!a.Terminal || a.AsJSON) {
				a.Note("nothing was changed: warp checkpoint restore %d --yes restores it", n)
				return &app.Silent{Code: app.Human}
			}
			if !yes && !app.Confirm(a, fmt.Sprintf("Restore work tree, branch and state to checkpoint %d? The current state is saved.", n)) {
				a.Printf("Nothing was changed.\n")
				return nil
			}
			if k.Work, err = workflow.TreeOf(ctx, filepath.Dir(k.Store.Dir()), s, true); err != nil {
				return err
			}
			r, err := k.Restore(ctx, n)
			return reportRestored(a, r, err)
		}),
	})
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func reportRestored(a *app.App, r engine.Restored, err error) error {
	kept := r.Salvage
	if r.State != "" {
		kept = append(kept, r.State)
	}
	if err != nil {
		if len(kept) > 0 {
			a.Note("what was there before is kept: %s", strings.Join(kept, ", "))
		}
		return err
	}
	return a.Show(r, func() {
		a.Printf("Restored checkpoint %d: %s changed, %s is at %s.\n", r.N, text.Count(r.Changed, "file"), render.Printable(r.Branch), text.Hash(r.Head))
		a.Printf("What was there before is kept:\n")
		for _, k := range kept {
			a.Printf("  %s\n", k)
		}
		if r.Unsigned {
			a.Note("checkpoint %d is not signed with your key (written by an older warp, another machine or another program); its claims are proven again before the merge", r.N)
		}
		if len(r.Revealed) > 0 {
			a.Printf("These files are no longer ignored:\n")
			for _, p := range r.Revealed[:min(10, len(r.Revealed))] {
				a.Printf("  %s\n", render.Printable(p))
			}
			if more := len(r.Revealed) - 10; more > 0 {
				a.Printf("  and %d more\n", more)
			}
		}
	})
}

func createPoint(a *app.App) *cobra.Command {
	return a.WithJSON("print its number as JSON", &cobra.Command{
		Use:   "create [note]",
		Short: "Make a checkpoint of a paused workflow, with a note",
		Long: `Make a checkpoint of a paused workflow: the work tree with its uncommitted files, and
the state, even in the middle of a task. The list shows the note.

It is refused while the workflow runs, since agents may be writing: warp workflow
pause ends them, and warp workflow resume continues.

Exit codes: 0 made, 2 no unfinished workflow, 11 it is running.`,
		Example: "  warp checkpoint create\n  warp checkpoint create 'before I try the other library'",
		Args:    cobra.ArbitraryArgs,
		RunE: withKeeper(a, func(ctx context.Context, k engine.Keeper, args []string) error {
			s := documents.PeekWorkflow(k.Store)
			if s != nil && !s.Orchestrator.Status.Ended() { // if its work tree is gone, the person's is not involved
				var err error
				if k.Work, err = workflow.TreeOf(ctx, filepath.Dir(k.Store.Dir()), s, true); err != nil {
					return err
				}
			}
			n, err := k.Create(ctx, strings.Join(args, " "))
			if ended := (*engine.EndedError)(nil); errors.As(err, &ended) {
				return &app.UsageError{Err: err}
			}
			switch {
			case err != nil:
				return err
			case a.AsJSON:
				return a.JSON(map[string]int{"checkpoint": n})
			}
			a.Printf("Made checkpoint %d; warp checkpoint restore %d returns to it.\n", n, n)
			return nil
		}),
	})
}
