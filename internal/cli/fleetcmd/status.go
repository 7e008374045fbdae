package fleetcmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/fleet/status"
	"warp/internal/ui/render"
)

func newStatus() *cobra.Command {
	c := onFleet(&cobra.Command{Use: "status", Short: "Show machines, queue, merge trains and budget of a fleet",
		Long:    "Show machines, queue, merge trains and budget of a fleet, and what each requirement does now.",
		Example: "  warp-fleet status", Args: cobra.NoArgs}, func(ctx context.Context, f fleet, _ []string) error {
		v, err := status.At(ctx, f.Link, f.name)
		if err != nil {
			return err
		}
		return f.show(v.Plain(), func() { showView(f.out, v, time.Now()) })
	})
	c.Flags().Bool("json", false, "print it as JSON")
	return c
}

func showView(out io.Writer, v status.View, now time.Time) {
	f := v.Plain()
	printLine(out, "fleet %s, night %s: %d merged, %d running, %d waiting, %d parked", f.Fleet, cmp.Or(f.Night, "not begun"), f.Merged, len(f.Running), len(f.Queue), len(f.Parked))
	if f.Paused != "" {
		printLine(out, "%s paused the fleet; warp-fleet resume continues it", f.Paused)
	}
	if refused := v.Fleet.Refused; refused > 0 {
		fmt.Fprintf(out, "%s had no room in the queue: submit again when others are done\n", text.Count(refused, "requirement"))
	}
	if !f.Quiet.IsZero() {
		fmt.Fprintf(out, "quiet hours until %s: nothing new starts\n", f.Quiet.Local().Format("Mon 15:04"))
	}
	fmt.Fprintf(out, "money: %s\n\n", f.Budget.FormatBudget())
	rows := [][]string{{"MACHINE", "POOL", "SLOTS", ""}}
	for _, m := range f.Machines {
		rows = append(rows, []string{m.Name, m.Pool, fmt.Sprintf("%d of %d", m.Used, m.Slots), m.Words()})
	}
	render.Table(out, rows)
	why := func(r fleetview.Requirement) string { return r.Why }
	list(out, "RUNNING", f.Running, func(r fleetview.Requirement) string { return describeActivity(r, now) })
	list(out, "WAITING", f.Queue, why)
	list(out, "PARKED", f.Parked, why)
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

func list(out io.Writer, title string, all []fleetview.Requirement, say func(fleetview.Requirement) string) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintln(out)
	render.Table(out, append([][]string{{title, "", ""}}, tableRows("", all[:min(mostRows, len(all))], say)...))
	if more := len(all) - mostRows; more > 0 {
		fmt.Fprintf(out, "and %d more: warp-fleet status --json\n", more)
	}
}

func tableRows(indent string, list []fleetview.Requirement, say func(fleetview.Requirement) string) (rows [][]string) {
	for _, r := range list {
		rows = append(rows, []string{indent + r.ID(), text.VisibleLine(text.ClipRunes(r.Title, 50)), text.VisibleLine(say(r))})
	}
	return rows
}

func describeActivity(r fleetview.Requirement, now time.Time) string {
	parts := []string{cmp.Or(r.Phase, "begins"), "on " + r.Worker}
	if r.Ask != nil {
		parts = append(parts, "asks: "+r.Ask.Text+" (warp-fleet answer "+r.ID()+" …)")
	} else if r.Doing != "" {
		parts = append(parts, r.Doing)
	}
	parts = append(parts, "since "+now.Sub(r.Since).Round(time.Second).String(), budget.Dollars(r.Spent.MicroUSD))
	return strings.Join(parts, ", ")
}

func outcome(r fleetview.Requirement) string {
	if r.Outcome == nil {
		return formatPrice(r.Spent)
	}
	return strings.Join([]string{strings.ReplaceAll(r.Outcome.Result, "_", " "), cmp.Or(r.Outcome.Pull, r.Outcome.Commit), formatPrice(r.Spent)}, " ")
}

// formatPrice returns the cost, or that the agent does not report it.
func formatPrice(s conduct.Spent) string {
	if s.MicroUSD == 0 {
		return "(price not reported)"
	}
	return budget.Dollars(s.MicroUSD)
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
	v, err := status.At(ctx, f.Link, f.name)
	if err != nil {
		return err
	}
	asking := v.Plain().Asking()
	for _, r := range asking {
		showQuestion(f.out, r.ID(), *r.Ask)
	}
	if len(asking) == 0 {
		fmt.Fprintln(f.out, "no question is open")
	}
	return nil
}

func newWatch() *cobra.Command {
	var every time.Duration
	c := onFleet(&cobra.Command{Use: "watch", Short: "Show a fleet and keep it up to date",
		Long: "Show a fleet and keep it up to date. --json prints a line for each change: warp watch --fleet and warp web --fleet read it."}, func(ctx context.Context, f fleet, _ []string) error {
		show := func(v status.View) error { return draw(f.out, v, time.Now()) }
		if f.json {
			show = func(v status.View) error { return json.NewEncoder(f.out).Encode(v.Plain()) }
		}
		err := follow(ctx, every, f.errs, func() error { return status.Follow(ctx, f.Link, f.name, every, show) })
		if ctx.Err() != nil {
			return &app.Silent{Code: app.Done}
		}
		return err
	})
	c.Flags().Bool("json", false, "print a line of JSON for each change")
	c.Flags().DurationVar(&every, "every", time.Second, "how often to look")
	c.Args = func(_ *cobra.Command, args []string) error {
		if every <= 0 {
			return app.WrongUsage("--every must be more than 0, such as 2s")
		}
		return cobra.NoArgs(c, args)
	}
	return c
}

// follow retries when the server was away for a while.
func follow(ctx context.Context, pause time.Duration, errs io.Writer, again func() error) error {
	return retry(ctx, pause, errs, "warp-fleet: the server does not answer; this continues when it does", again)
}

// draw shows a fleet; on a terminal it overwrites the previous frame.
func draw(out io.Writer, v status.View, now time.Time) error {
	var page bytes.Buffer
	showView(&page, v, now)
	text := append(page.Bytes(), '\n')
	if f, ok := out.(*os.File); ok && render.IsTerminal(f) { // overwriting line by line avoids flicker
		text = append([]byte("\x1b[H"), bytes.ReplaceAll(page.Bytes(), []byte("\n"), []byte("\x1b[K\n"))...)
		text = append(text, "\x1b[J"...)
	}
	_, err := out.Write(text)
	return err
}
