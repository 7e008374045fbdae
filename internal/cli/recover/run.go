package recover

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/engine/recovery"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func runCommand(a *app.App) *cobra.Command {
	var o recovery.Options
	c := a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "run [issue]",
		Short: "Restore a drive, so that warp drive can continue it",
		Long: `Restore a drive, so that warp drive can continue it after its last committed chunk.
Without a number: the only one that is lost or unfinished on the remote.

The remote is fetched. The branch is set to its last commit: here, on the remote, or
where the state or the journal say it was; recorded commits that are missing on it
are fetched by name and cherry-picked. Then it is checked out: in a separate work
tree if it had one (or --worktree), else in this one (or --in-place), and the state is
rebuilt.

It refuses, and changes nothing: while an engine drives it; when your uncommitted
changes are in the way; when recorded commits are found nowhere (--redo does their
chunks again); when a cherry-pick conflicts.

Level: --level, else the previous one, else as configured.

Exit codes: 0 restored, or nothing was lost; 2 there is nothing to restore; 11 an
engine drives it.`,
		Example: "  warp recover run 42 && warp drive 42\n  warp recover run 42 --worktree --level 3",
		Args:    app.IssueNumbers(0, 1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if len(args) == 1 {
				o.Issue = args[0]
			}
			if o.Level != 0 && o.Level != 2 && o.Level != 3 {
				return app.WrongUsage("--level must be 2 or 3: 2 opens pull requests, 3 merges")
			}
			if o.Apart && o.InPlace {
				return app.WrongUsage("--worktree and --in-place cannot be combined")
			}
			return run(ctx, a, d, o)
		}),
	})
	f := c.Flags()
	f.StringVar(&o.Branch, "branch", "", "its branch, if it is on several")
	f.IntVar(&o.Level, "level", 0, "automation level: 2 opens pull requests, 3 merges")
	f.BoolVar(&o.Apart, "worktree", false, "restore into a separate work tree")
	f.BoolVar(&o.InPlace, "in-place", false, "restore into this work tree, even if it had a separate one")
	f.BoolVar(&o.Redo, "redo", false, "redo chunks whose commits are found nowhere")
	return c
}

func run(ctx context.Context, a *app.App, d *turnstile.Drive, o recovery.Options) error {
	r, err := open(ctx, a, d, true)
	if err != nil {
		return err
	}
	res, err := r.Run(ctx, o)
	a.Notes(res.Notes)
	if len(res.Kept) > 0 && (err != nil || !a.AsJSON) {
		for _, k := range res.Kept {
			a.Note("kept: %s", k)
		}
	}
	if app.IsA[*recovery.NothingError](err) {
		return &app.UsageError{Err: err}
	}
	if err != nil {
		return err
	}
	return a.Show(res, func() { show(a, res) })
}

func show(a *app.App, res recovery.Result) {
	name := "#" + res.Issue
	if res.Title != "" {
		name += " " + render.Printable(res.Title)
	}
	switch {
	case res.Whole:
		a.Printf("%s: nothing is lost, it is in phase %s in %s\n", name, res.Phase, render.Printable(res.Root))
	case res.Over:
		a.Printf("%s: a person stopped it; its branch %s is restored at %s\n", name, render.Printable(res.Branch), text.Hash(res.Commit))
	case res.Commit == "" || res.Total == 0:
		a.Printf("%s: restored at its beginning, nothing was committed yet\n", name)
	default:
		a.Printf("%s: restored, %d of %d chunks are done, %s at %s in %s\n", name, res.Done, res.Total, render.Printable(res.Branch), text.Hash(res.Commit), render.Printable(res.Root))
	}
	for _, h := range res.Picked {
		a.Printf("picked: %s\n", text.Hash(h))
	}
	a.Printf("continue with: %s\n", res.Next)
}
