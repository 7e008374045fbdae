package fleetcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/status"
	"warp/internal/ui/render"
)

func newReport() *cobra.Command {
	return onFleet(&cobra.Command{Use: "report", Short: "Report on the night: merged, parked, open questions, money",
		Long: `Report on the night: what was merged, what was parked and why, what waits for you, and
the money. Exit codes: 0 all is merged; 3 some of it; 1 none of it.`, Example: "  warp-fleet report", Args: cobra.NoArgs}, func(ctx context.Context, f fleet, _ []string) error {
		v, err := status.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return printReport(f.out, v)
	})
}

// printReport prints the report; its error sets the exit code.
func printReport(out io.Writer, v status.View) error {
	f := v.Plain()
	printLine(out, "Night %s of fleet %s: %d merged or with a pull request, %d parked, %d not done yet", cmp.Or(f.Night, "(not begun)"), f.Fleet, len(f.Done), len(f.Parked), len(f.Running)+len(f.Queue))
	for _, part := range []struct {
		title string
		list  []fleetview.Requirement
		say   func(fleetview.Requirement) string
	}{
		{"Done", f.Done, outcome},
		{"Parked", f.Parked, func(r fleetview.Requirement) string {
			do := ""
			if r.Outcome != nil && r.Outcome.Do != "" {
				do = " (" + r.Outcome.Do + ")"
			}
			return r.Why + do
		}},
	} {
		if len(part.list) > 0 {
			fmt.Fprintf(out, "\n%s\n", part.title)
			render.Table(out, tableRows("  ", part.list, part.say))
		}
	}
	for _, r := range f.Asking() {
		fmt.Fprintln(out)
		showQuestion(out, r.ID(), *r.Ask)
	}
	fmt.Fprintf(out, "\nMoney: %s\n", f.Budget.FormatBudget())
	rest := len(f.Parked) + len(f.Running) + len(f.Queue)
	switch {
	case rest == 0:
		return nil
	case len(f.Done) > 0:
		return &app.Silent{Code: app.Partly}
	}
	return &app.Silent{Code: app.Failed}
}

func newCost() *cobra.Command {
	c := onFleet(&cobra.Command{Use: "cost", Short: "Show what the fleet has spent: by night, day, repository and requirement", Args: cobra.NoArgs, Example: "  warp-fleet cost"}, func(ctx context.Context, f fleet, _ []string) error {
		v, err := status.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return f.show(v.Budget, func() { showCost(f.out, v) })
	})
	c.Flags().Bool("json", false, "print it as JSON")
	return c
}

func showCost(out io.Writer, v status.View) {
	p, f := v.Budget, v.Plain()
	printLine(out, "night %s: %s", cmp.Or(p.Night, "(not begun)"), f.Budget.FormatBudget())
	for _, part := range []struct {
		title string
		sums  map[string]int64
	}{{"DAY", p.Days}, {"REPOSITORY", p.Repos}} {
		rows := [][]string{{part.title, ""}}
		for _, name := range slices.Sorted(maps.Keys(part.sums)) {
			rows = append(rows, []string{name, budget.Dollars(part.sums[name])})
		}
		if len(rows) > 1 {
			fmt.Fprintln(out)
			render.Table(out, rows)
		}
	}
	all := slices.Concat(f.Running, f.Parked, f.Done)
	slices.SortFunc(all, func(a, b fleetview.Requirement) int {
		return cmp.Or(cmp.Compare(b.Spent.MicroUSD, a.Spent.MicroUSD), strings.Compare(a.ID(), b.ID()))
	})
	unpriced := 0
	for _, i := range all {
		if i.Spent.MicroUSD == 0 && (i.Spent.Tokens > 0 || i.State == fleetview.Done) { // otherwise no agent ran
			unpriced++
		}
	}
	if unpriced > 0 {
		fmt.Fprintf(out, "agents reported no prices for %s: these sums leave it out, and caps do not limit it\n", text.Count(unpriced, "requirement"))
	}
	rows := [][]string{{"REQUIREMENT", "", "TOKENS", ""}}
	for _, i := range all[:min(mostRows, len(all))] {
		rows = append(rows, []string{i.ID(), formatPrice(i.Spent), text.Thousands(i.Spent.Tokens), string(i.State)})
	}
	if len(rows) > 1 {
		fmt.Fprintln(out)
		render.Table(out, rows)
	}
}

func newShow() *cobra.Command {
	c := onFleet(&cobra.Command{Use: "show repository#issue", Short: "Show a requirement: where it stands, what it cost, and the evidence for each criterion",
		Long: `Show a requirement: where it stands, what it cost, and the evidence for each criterion, on
whichever machine it ran. While it runs, the evidence can be some minutes old.`,
		Example: "  warp-fleet show shop#42\n  warp-fleet show shop#42 --json | jq '.evidence.criteria[] | select(.met | not)'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.WrongUsage("name one requirement, as repository#issue")
			}
			return checkRequirements(args)
		}}, func(ctx context.Context, f fleet, args []string) error {
		repo, issue, _ := strings.Cut(args[0], "#")
		d, err := status.One(ctx, f.Link, f.name, repo, issue)
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

func showEvidence(out io.Writer, a evidence.Account) {
	fmt.Fprintf(out, "\n%d of %d criteria met\n", a.Good(), len(a.Criteria))
	for _, p := range a.Criteria {
		printLine(out, "\n%s %s: %s", p.ID, string(p.Status), text.ClipRunes(text.OneLine(p.Text), 200))
		for _, part := range p.Brief() {
			fmt.Fprintf(out, "  %-9s %s\n", part.Label, text.VisibleLine(text.ClipRunes(text.OneLine(part.Text), 400)))
		}
	}
}
