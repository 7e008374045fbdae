package fleetcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/look"
)

func newShow() *cobra.Command {
	c := onFleet(&cobra.Command{Use: "show repository#issue", Short: "Show a requirement: where it stands, what it cost, and the evidence for each criterion",
		Long: `Show a requirement: where it stands, what it cost, and the evidence for each criterion, on
whichever machine it ran. Of one that runs, it is that of some minutes ago.`,
		Example: "  warp-fleet show shop#42\n  warp-fleet show shop#42 --json | jq '.evidence.criteria[] | select(.met | not)'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.WrongUsage("name one requirement, as repository#issue")
			}
			return checkRequirements(args)
		}}, func(ctx context.Context, f fleet, args []string) error {
		repo, issue, _ := strings.Cut(args[0], "#")
		d, err := look.One(ctx, f.Link, f.name, repo, issue)
		if flow.IsNone(err) {
			if _, err := f.status(ctx); err == nil {
				return unknownRequirement(args[0])
			}
		}
		if err != nil {
			return err
		}
		return f.show(d, func() { showDetail(f.out, d) })
	})
	c.Flags().Bool("json", false, "print it as JSON")
	return c
}

// showDetail prints a requirement.
func showDetail(out io.Writer, d fleetview.Detail) {
	row := func(label, words string) {
		if words != "" {
			fmt.Fprintf(out, "  %-9s %s\n", label, text.VisibleLine(text.ClipRunes(text.OneLine(words), 400)))
		}
	}
	title := d.Title
	if title == "" && d.Evidence != nil {
		title = d.Evidence.Title
	}
	fmt.Fprintf(out, "%s %s\n", text.VisibleLine(d.ID()), text.VisibleLine(text.ClipRunes(title, 200)))
	row("state", string(d.State))
	row("phase", d.PhaseWords())
	row("doing", d.Doing)
	row("worker", d.Worker)
	row("train", d.Train)
	if d.Ask != nil {
		row("asks", d.Ask.Text)
		row("options", strings.Join(d.Ask.Options, ", "))
	}
	if o := d.Outcome; o != nil {
		row("outcome", strings.Join(strings.Fields(evidence.Result(o.Result).Words()+" "+cmp.Or(o.Pull, text.Hash(o.Commit))), " "))
		row("why", o.Why)
		row("to do", o.Do)
	} else {
		row("why", d.Why)
	}
	row("attempts", fmt.Sprint(d.Attempt))
	row("spent", fmt.Sprintf("%s, %s tokens", formatPrice(d.Spent), text.Thousands(d.Spent.Tokens)))
	for _, n := range d.Notes {
		row("note", n)
	}
	if d.Evidence != nil {
		showEvidence(out, *d.Evidence)
	} else if d.State == fleetview.Done {
		fmt.Fprintln(out, "\nIts worker could not read the evidence; warp evidence in the worker's clone has it.")
	}
}

// showEvidence prints the evidence for each criterion.
func showEvidence(out io.Writer, a evidence.Account) {
	fmt.Fprintf(out, "\n%d of %d criteria met\n", a.Good(), len(a.Criteria))
	for _, p := range a.Criteria {
		printLine(out, "\n%s %s: %s", p.ID, string(p.Status), text.ClipRunes(text.OneLine(p.Text), 200))
		for _, part := range p.Brief() {
			fmt.Fprintf(out, "  %-9s %s\n", part.Label, text.VisibleLine(text.ClipRunes(text.OneLine(part.Text), 400)))
		}
	}
}
