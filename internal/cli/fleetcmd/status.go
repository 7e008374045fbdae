package fleetcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/text"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/look"
	"warp/internal/ui/render"
)

func newStatus() *cobra.Command {
	c := onFleet(&cobra.Command{Use: "status", Short: "Show machines, queue, train and purse of a fleet",
		Long:    "Show machines, queue, train and purse of a fleet, and what each requirement does now.",
		Example: "  warp-fleet status", Args: cobra.NoArgs}, func(ctx context.Context, f fleet, _ []string) error {
		v, err := look.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return f.show(v.Plain(), func() { showView(f.out, v, time.Now()) })
	})
	c.Flags().Bool("json", false, "print it as JSON")
	return c
}

// showView prints a fleet.
func showView(out io.Writer, v look.View, now time.Time) {
	f := v.Fleet
	printLine(out, "fleet %s, night %s: %d merged, %d running, %d waiting, %d parked", f.Name, cmp.Or(f.Night, "not begun"), f.Merged, len(f.Running), len(f.Queue), len(f.Parked))
	if f.Paused != "" {
		printLine(out, "%s paused the fleet; warp-fleet resume goes on", f.Paused)
	}
	if f.Refused > 0 {
		fmt.Fprintf(out, "%s had no room in the queue: submit again when others are done\n", text.Count(f.Refused, "requirement"))
	}
	if !f.Quiet.IsZero() {
		fmt.Fprintf(out, "quiet hours until %s: nothing is begun\n", f.Quiet.Local().Format("Mon 15:04"))
	}
	fmt.Fprintf(out, "money: %s\n\n", purseLine(v.Purse))
	rows := [][]string{{"MACHINE", "POOL", "SLOTS", ""}}
	for _, m := range f.Machines {
		rows = append(rows, []string{m.Name, m.Pool, fmt.Sprintf("%d of %d", m.Used, m.Slots), machineWords(m)})
	}
	render.Table(out, rows)
	list(out, "RUNNING", f.Running, func(i flow.Item) string { return describeActivity(i, v.Now[i.ID()], now) })
	var waiting []flow.Item
	why := map[string]string{}
	for _, q := range f.Queue {
		waiting = append(waiting, q.Item)
		why[q.ID()] = q.Reason
	}
	list(out, "WAITING", waiting, func(i flow.Item) string { return why[i.ID()] })
	list(out, "PARKED", f.Parked, func(i flow.Item) string { return i.Why })
	list(out, "DONE", f.Done, outcome)
	for _, c := range f.Circles {
		printLine(out, "%s", c)
	}
}

// printLine prints one line. Foreign text in it (titles, worker names, program output) can
// neither end the line nor move the cursor.
func printLine(out io.Writer, format string, args ...any) {
	for i, a := range args {
		switch v := a.(type) {
		case string:
			args[i] = text.VisibleLine(v)
		case error:
			args[i] = text.VisibleLine(v.Error())
		}
	}
	fmt.Fprintf(out, format+"\n", args...)
}

const mostRows = 20

func list(out io.Writer, title string, items []flow.Item, say func(flow.Item) string) {
	if len(items) == 0 {
		return
	}
	rows := [][]string{{title, "", ""}}
	for _, i := range items[:min(mostRows, len(items))] {
		rows = append(rows, []string{i.ID(), text.VisibleLine(text.ClipRunes(i.Title, 50)), text.VisibleLine(say(i))})
	}
	fmt.Fprintln(out)
	render.Table(out, rows)
	if more := len(items) - mostRows; more > 0 {
		fmt.Fprintf(out, "and %d more: warp-fleet status --json\n", more)
	}
}

func machineWords(m flow.MachineStatus) string {
	switch {
	case m.Gone:
		return "has not been heard of since " + m.Seen.Local().Format("15:04")
	case m.Draining:
		return "finishes its steps and leaves"
	}
	return m.Hold
}

// describeActivity describes what a requirement does now.
func describeActivity(i flow.Item, n look.Now, now time.Time) string {
	parts := []string{cmp.Or(n.Phase, "begins"), "on " + i.Worker}
	if n.Ask != nil {
		parts = append(parts, "asks: "+n.Ask.Text+" (warp-fleet answer "+i.ID()+" …)")
	} else if n.Doing != "" {
		parts = append(parts, n.Doing)
	}
	parts = append(parts, "since "+now.Sub(i.Since).Round(time.Second).String(), budget.Dollars(n.Spent.MicroUSD))
	return strings.Join(parts, ", ")
}

func outcome(i flow.Item) string {
	if i.Outcome == nil {
		return formatPrice(i.Spent)
	}
	return strings.Join([]string{strings.ReplaceAll(i.Outcome.Result, "_", " "), cmp.Or(i.Outcome.Pull, i.Outcome.Commit), formatPrice(i.Spent)}, " ")
}

// formatPrice returns the cost, or that the agent does not report it.
func formatPrice(s conduct.Spent) string {
	if s.MicroUSD == 0 {
		return "(price not reported)"
	}
	return budget.Dollars(s.MicroUSD)
}

func purseLine(p flow.PurseStatus) string {
	line := budget.Dollars(p.Settled) + " spent, " + budget.Dollars(p.Reserved) + " reserved"
	if p.Caps.Night > 0 {
		line += fmt.Sprintf(", of $%.2f a night", p.Caps.Night)
	}
	if p.Over > 0 {
		line += "; " + budget.Dollars(p.Over) + " more than was reserved"
	}
	return line
}

func hasItem(s flow.FleetStatus, id string) bool {
	return slices.ContainsFunc(slices.Concat(s.Running, s.Parked, s.Done), func(i flow.Item) bool { return i.ID() == id }) ||
		slices.ContainsFunc(s.Queue, func(q flow.Queued) bool { return q.ID() == id })
}

func (f fleet) requirement(ctx context.Context, id string) (r flow.RequirementStatus, err error) {
	v, err := f.QueryWorkflow(ctx, id, "", flow.Status)
	if err != nil {
		return r, err
	}
	return r, v.Get(&r)
}

func showQuestion(out io.Writer, id string, q conduct.Ask) {
	printLine(out, "%s asks: %s", id, q.Text)
	if len(q.Options) > 0 {
		printLine(out, "  options: %s", strings.Join(q.Options, ", "))
	}
	if q.Default != "" {
		printLine(out, "  without an answer in %d minutes: %s", q.Minutes, q.Default)
	}
}

func (f fleet) listQuestions(ctx context.Context) error {
	v, err := look.At(ctx, f.Link, f.name)
	if err != nil {
		return err
	}
	asked := false
	for _, i := range v.Fleet.Running {
		if n := v.Now[i.ID()]; n.Ask != nil {
			showQuestion(f.out, i.ID(), *n.Ask)
			asked = true
		}
	}
	if !asked {
		fmt.Fprintln(f.out, "nothing is asked")
	}
	return nil
}
