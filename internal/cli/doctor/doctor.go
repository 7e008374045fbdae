// Package doctor is warp doctor: what is there, what is wrong, how to fix it.
package doctor

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// finding is one line of the report.
type finding struct {
	Part   string `json:"part"`
	Level  string `json:"level"` // ok, note or fix
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func ok(part, detail string) finding            { return finding{part, "ok", detail, ""} }
func note(part, detail, fix string) finding     { return finding{part, "note", detail, fix} }
func needsFix(part, detail, fix string) finding { return finding{part, "fix", detail, fix} }

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON, rebuild bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check tools, hooks, state files and locks, and say how to fix each problem",
		Long: `Check git, gh and its login, the agent CLIs, hooks, settings, state files, session
records, the work queue, the journal and locks. Exit 1 when something must be
fixed; each such line says how.

--rebuild rebuilds the drive's state from the journal. The old state is set aside,
never deleted.`,
		Example: "  warp doctor\n  warp doctor --rebuild\n  warp doctor --json | jq '.[] | select(.level == \"fix\")'",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if rebuild {
				v, err := d.Doc().Rebuild()
				if err != nil {
					return err
				}
				a.Notes(v.Notes)
				a.Printf("rebuilt: phase %s, revision %d\n", v.Doc.Phase, v.Rev)
				return nil
			}
			x := exam{a, d, ctx}
			var all []finding
			for _, check := range []func(exam) []finding{tools, identity, agents, contained, hooks, permissions, settings, store, state, recorded, journal, locks} {
				all = append(all, check(x)...)
			}
			return report(a, all, asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	c.Flags().BoolVar(&rebuild, "rebuild", false, "rebuild the drive's state from the journal")
	return c
}

func report(a *app.App, all []finding, asJSON bool) error {
	wrong := 0
	var rows [][]string
	for _, f := range all {
		if f.Level == "fix" {
			wrong++
		}
		detail := f.Detail
		if f.Fix != "" {
			detail += "; " + f.Fix
		}
		rows = append(rows, []string{f.Level, f.Part, detail})
	}
	if asJSON {
		if err := a.JSON(all); err != nil {
			return err
		}
	} else {
		render.Table(a.Out, rows)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d checks need a fix", wrong, len(all))
	}
	return nil
}
