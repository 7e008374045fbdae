package checkpointcmd

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	engine "warp/internal/engine/checkpoint"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile/documents"
)

func create(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
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
			if s != nil && !s.Orchestrator.Status.Ended() { // where its own work tree is gone, the person's is none of it
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
			case asJSON:
				return a.JSON(map[string]int{"checkpoint": n})
			}
			a.Printf("Made checkpoint %d; warp checkpoint restore %d returns to it.\n", n, n)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print its number as JSON")
	return c
}
