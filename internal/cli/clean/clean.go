// Package clean is warp clean: it finds what drives left behind and removes what is no longer
// needed. It touches nothing of an unfinished drive, and no work that exists nowhere else. Commands
// that land work delete its branches and work trees through it; land.Sweep decides which may be.
package clean

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

type options struct {
	dryRun, yes bool
	olderThan   string
}

// salvageDays is how long salvage is kept by default.
const salvageDays = 30

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "clean",
		Short: "Find what drives and sessions left behind, and remove what is no longer needed",
		Long: fmt.Sprintf(`Find what drives and sessions left behind in this repository, and remove it:

  worktree  .claude/worktrees/issue-NN or workflow-…, its drive or workflow ended, with
            nothing uncommitted or unmerged in it
  branch    feature/issue-NN-… and other branches that warp made, merged, not checked
            out, here and on the remote (unless keep_branches is set)
  salvage   references under refs/warp with undone or skipped work of agents,
            after %d days (--older-than: another age)
  held      references of processes that are gone, which kept git from collecting
            objects while an agent ran
  rebase    work trees of abandoned rebases
  test      work trees of tests that no longer run
  lease     lock files of processes that are gone, or that are damaged
  note      notes of drives whose folder is gone
  agent     agents that a killed drive left running
  session   loops and pipelines that ended that long ago, with everything they left
  record    what hooks recorded of agent sessions that died: closed and counted

What is kept is listed with the reason. Of an unfinished drive, only orphaned
agents are touched. On a terminal it asks first; elsewhere, without --yes, it
only lists.

Exit codes: 0 all was removed, or only listed; 3 some could not be removed.`, salvageDays),
		Example: "  warp clean\n  warp clean --dry-run\n  warp clean --yes --older-than 7d",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			age, err := budget.ParseTime(o.olderThan)
			if err != nil {
				return app.WrongUsage("--older-than: %q is not an age such as 7d or 12h", o.olderThan)
			}
			plan, err := find(ctx, a, d, age)
			if err != nil {
				return err
			}
			return carryOut(ctx, a, plan, o)
		}),
	})
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "list what would be removed, and remove nothing")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().StringVar(&o.olderThan, "older-than", fmt.Sprintf("%dd", salvageDays), "age from which salvage and sessions are removed: 7d, 12h, 0d")
	return c
}

// carryOut prints the plan and, if wanted, carries it out.
func carryOut(ctx context.Context, a *app.App, plan []*item, o options) error {
	do := !o.dryRun && o.yes
	if !a.AsJSON {
		print(a, plan)
		n := 0
		for _, i := range plan {
			if i.Remove {
				n++
			}
		}
		if !o.dryRun && !o.yes && n > 0 {
			if a.Terminal {
				if do = app.Confirm(a, fmt.Sprintf("\nRemove what is marked (%d)?", n)); !do {
					a.Printf("Nothing was removed.\n")
				}
			} else {
				a.Printf("\nNothing was removed; run warp clean --yes to remove it.\n")
			}
		}
	}
	failed := false
	for _, i := range plan {
		if !do || !i.Remove {
			continue
		}
		if err := i.do(ctx); err != nil {
			i.Error, failed = err.Error(), true
			if errors.Is(err, context.Canceled) {
				return err
			}
		}
		i.Removed = i.Error == ""
		if !a.AsJSON {
			say(a, i)
		}
	}
	if a.AsJSON {
		if err := a.JSON(struct {
			Items []*item `json:"items"`
		}{append([]*item{}, plan...)}); err != nil {
			return err
		}
	}
	if failed {
		return &app.Silent{Code: app.Partly}
	}
	return nil
}

func print(a *app.App, plan []*item) {
	if len(plan) == 0 {
		a.Printf("Nothing was left behind.\n")
		return
	}
	rows := [][]string{{"", "WHAT", "NAME", "WHY"}}
	for _, keep := range []bool{false, true} {
		for _, i := range plan {
			if i.Remove == keep {
				continue
			}
			word := "remove"
			if keep {
				word = "keep"
			}
			rows = append(rows, []string{word, i.Kind, i.Name, i.Why})
		}
	}
	render.Table(a.Out, rows)
}

func say(a *app.App, i *item) {
	if i.Error != "" {
		a.Note("%s %s is kept: %s", i.Kind, i.Name, i.Error)
		return
	}
	a.Printf("removed: %s %s\n", i.Kind, render.Printable(i.Name))
}
