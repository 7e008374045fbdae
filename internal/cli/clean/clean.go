// Package clean is warp clean: it finds what drives have left behind, and removes
// what nobody needs any more. Nothing of an unfinished drive is touched, and
// nothing that holds work which is nowhere else.
package clean

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

type options struct {
	dryRun, yes, json bool
	olderThan         string
}

// salvageDays is how long salvage is kept where nobody says otherwise.
const salvageDays = 30

// New makes the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "clean",
		Short: "Find what drives and sessions have left behind, and remove what nobody needs any more",
		Long: fmt.Sprintf(`Find what drives and sessions have left behind in this repository, and remove it:

  worktree  .claude/worktrees/issue-NN or workflow-…, its drive or workflow ended, with
            nothing uncommitted or unmerged in it
  branch    feature/issue-NN-…, wholly in the main branch and checked out nowhere
  salvage   references under refs/warp, which keep what agents had taken back or
            chunks were given up with, after %d days (--older-than: another age)
  rebase    work trees of rebases that nobody goes on with
  test      work trees of tests that nobody runs any more
  lease     lock files of processes that are gone, or that are damaged
  note      notes of drives whose folder is gone
  agent     agents that a drive which was killed left running
  session   loops and pipelines that ended so long ago, with all that they left
  record    what hooks recorded of agents' sessions that died: it is closed and counted

What is kept is shown with the reason. Nothing of an unfinished drive is touched,
but for agents that nobody looks after. On a terminal it asks first; elsewhere,
without --yes, it only shows.

Exit codes: 0 all is removed, or only shown; 3 some could not be removed.`, salvageDays),
		Example: "  warp clean\n  warp clean --dry-run\n  warp clean --yes --older-than 7d",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			age, err := budget.ParseTime(o.olderThan)
			if err != nil {
				return &app.UsageError{Err: fmt.Errorf("--older-than: %q is not an age such as 7d or 12h", o.olderThan)}
			}
			plan, err := find(ctx, a, d, age)
			if err != nil {
				return err
			}
			return act(ctx, a, plan, o)
		}),
	}
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what would be removed")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	c.Flags().StringVar(&o.olderThan, "older-than", fmt.Sprintf("%dd", salvageDays), "age from which salvage and sessions are removed: 7d, 12h, 0d")
	c.Flags().BoolVar(&o.json, "json", false, "print it as JSON")
	return c
}

// act shows the plan and, when it is wanted, carries it out.
func act(ctx context.Context, a *app.App, plan []*Item, o options) error {
	do := !o.dryRun && o.yes
	if !o.json {
		print(a, plan)
		if n := removable(plan); !o.dryRun && !o.yes && n > 0 {
			if a.Terminal {
				do = ask(a, n)
			} else {
				a.Printf("\nNothing was removed: warp clean --yes does it.\n")
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
		if !o.json {
			say(a, i)
		}
	}
	if o.json {
		if err := a.JSON(struct {
			Items []*Item `json:"items"`
		}{append([]*Item{}, plan...)}); err != nil {
			return err
		}
	}
	if failed {
		return &app.Silent{Code: app.Partly}
	}
	return nil
}

func removable(plan []*Item) (n int) {
	for _, i := range plan {
		if i.Remove {
			n++
		}
	}
	return n
}

func print(a *app.App, plan []*Item) {
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

func say(a *app.App, i *Item) {
	if i.Error != "" {
		a.Notes([]string{fmt.Sprintf("%s %s is kept: %s", i.Kind, i.Name, i.Error)})
		return
	}
	a.Printf("removed: %s %s\n", i.Kind, render.Printable(i.Name))
}

// ask asks whether to go on; what is no clear yes is a no.
func ask(a *app.App, n int) bool {
	a.Printf("\nRemove what is marked (%d)? [y/N] ", n)
	line, _ := bufio.NewReader(a.In).ReadString('\n') // no answer is none
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	a.Printf("Nothing was removed.\n")
	return false
}
