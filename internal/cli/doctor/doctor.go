// Package doctor is warp doctor: could a night run here? The checks are a table, so that other
// commands can run some of them.
package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	var rebuild, quick bool
	c := a.WithJSON("print the findings as JSON", &cobra.Command{
		Use:   "doctor [check...]",
		Short: "Check whether a night could run here, and say how to fix what prevents it",
		Long: `Check whether a night could run here: the agent is installed and logged in, the tests
run, the tracker responds, there are approved issues with criteria, the remote can be
pushed to, and hooks, bridge, disk, clock, settings and state are in order. Each line
that is a warning or a problem says how to fix it.

The tests run once on the last commit, unless the journal has a run of the same files;
--quick skips them. With names of checks only those are made:
  ` + strings.Join(names(), ", ") + `

--rebuild rebuilds the drive's state from the journal. The old state is set aside,
never deleted.

Exit codes: 0 a night can run, whatever the warnings; 1 it cannot.`,
		Example:   "  warp doctor\n  warp doctor --quick\n  warp doctor agent tracker\n  warp doctor --json | jq '.checks[] | select(.level == \"problem\")'",
		ValidArgs: names(),
		Args: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				if !slices.Contains(names(), name) {
					return app.WrongUsage("there is no check %q; there are %s", render.Printable(name), strings.Join(names(), ", "))
				}
			}
			if rebuild && len(args) > 0 {
				return app.WrongUsage("--rebuild takes no checks")
			}
			return nil
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if rebuild {
				v, err := d.Doc().Rebuild()
				if err != nil {
					return err
				}
				a.Notes(v.Notes)
				a.Printf("rebuilt: phase %s, revision %d\n", v.Doc.Phase, v.Rev)
				return nil
			}
			return report(a, Examine(ctx, a, d, quick, args...), len(args) == 0)
		}),
	})
	c.Flags().BoolVar(&quick, "quick", false, "do not run the tests")
	c.Flags().BoolVar(&rebuild, "rebuild", false, "rebuild the drive's state from the journal")
	return c
}

// answer is the output of warp doctor --json.
type answer struct {
	Ready    bool      `json:"ready"` // no check found a problem
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
	Checks   []Finding `json:"checks"`
}

func report(a *app.App, all []Finding, whole bool) error {
	say := answer{Checks: all}
	var rows [][]string
	for _, f := range all {
		switch f.Level {
		case Problem:
			say.Problems++
		case Warning:
			say.Warnings++
		}
		detail := f.Detail
		if f.Fix != "" {
			detail += "; " + f.Fix
		}
		rows = append(rows, []string{f.Level, f.Part, detail})
	}
	say.Ready = say.Problems == 0
	switch {
	case a.AsJSON:
		if err := a.JSON(say); err != nil {
			return err
		}
	case whole && say.Ready:
		a.Printf("A night can run here.\n\n")
	case whole:
		a.Printf("A night cannot run here: %s.\n\n", text.Count(say.Problems, "problem"))
	}
	if !a.AsJSON {
		render.Table(a.Out, rows)
	}
	if !say.Ready {
		return &app.Silent{Code: app.Failed}
	}
	return nil
}
