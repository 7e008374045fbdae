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
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/fleet/look"
	"warp/internal/ui/render"
)

func newReport() *cobra.Command {
	return onFleet(&cobra.Command{Use: "report", Short: "Give an account of the night: merged, parked, asked, money",
		Long: `Give an account of the night: what was merged, what was parked and why, what waits for you,
and the money. Exit codes: 0 all is merged; 3 some of it; 1 none of it.`, Example: "  warp-fleet report", Args: cobra.NoArgs}, func(ctx context.Context, f fleet, _ []string) error {
		v, err := look.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return printAccount(f.out, v)
	})
}

// printAccount prints the account; its error sets the exit code.
func printAccount(out io.Writer, v look.View) error {
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
	fmt.Fprintf(out, "\nMoney: %s\n", f.Purse.FormatBudget())
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
		v, err := look.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return f.show(v.Purse, func() { showCost(f.out, v) })
	})
	c.Flags().Bool("json", false, "print it as JSON")
	return c
}

func showCost(out io.Writer, v look.View) {
	p, f := v.Purse, v.Plain()
	printLine(out, "night %s: %s", cmp.Or(p.Night, "(not begun)"), f.Purse.FormatBudget())
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
		fmt.Fprintf(out, "agents reported no prices for %s: what they cost is in none of these sums, and caps do not hold it\n", text.Count(unpriced, "requirement"))
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
