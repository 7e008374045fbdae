package fleetcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/simulate"
	"warp/internal/durable"
	"warp/internal/ui/plot"
)

func newSimulate() *cobra.Command {
	p := simulate.Plan{Requirements: 1000, Workers: 10, Fail: 0.2, TrainFail: 0.02, Tries: 3, Cost: 3, Grace: time.Minute}
	agent, train, begin, picture, seed, asJSON := "lognormal(12m,0.6)", "lognormal(2m,0.4)", "", "", uint64(1), false
	c := &cobra.Command{
		Use:   "simulate fleet.yaml",
		Short: "Simulate a night of a fleet: how long, how much, and what holds it up",
		Long: `Simulate a night of a fleet, with the decisions that a real one makes: what a free slot
takes next, which account it uses, when a cap or quiet hours hold it, one merge train for
each repository. An agent's time is drawn from a distribution:

  fixed(12m)  uniform(5m,20m)  exponential(12m)  normal(12m,3m)
  lognormal(12m,0.6)   half take longer than 12 minutes; 0.6 is the spread

The same --seed gives the same night.`,
		Example: "  warp-fleet simulate fleet.yaml\n  warp-fleet simulate fleet.yaml --requirements 100000 --workers 1000 --agent 'lognormal(12m,0.6)' --fail 0.2\n  warp-fleet simulate fleet.yaml --plot night.svg",
		Args:    oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			if err := parsePlan(&p, agent, train, begin); err != nil {
				return err
			}
			var err error
			if p.Fleet, err = readFleetFile(args[0], c.ErrOrStderr()); err != nil {
				return err
			}
			p.Random = rand.New(rand.NewPCG(seed, 0))
			r, err := simulate.Run(p)
			if err != nil {
				return err
			}
			if picture != "" {
				if err := drawNight(picture, p.Begin, r); err != nil {
					return err
				}
			}
			if asJSON {
				enc := json.NewEncoder(c.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(r)
			}
			return printNight(c.OutOrStdout(), r)
		},
	}
	f := c.Flags()
	f.IntVar(&p.Requirements, "requirements", p.Requirements, "how many requirements there are")
	f.IntVar(&p.Workers, "workers", p.Workers, "machines, each with the slots of its pool")
	f.StringVar(&agent, "agent", agent, "how long an agent works on one requirement")
	f.StringVar(&train, "train", train, "how long rebase and tests in a merge train take")
	f.Float64Var(&p.Fail, "fail", p.Fail, "share of attempts that fail and are repeated")
	f.Float64Var(&p.TrainFail, "train-fail", p.TrainFail, "share of merges that fail and go back")
	f.IntVar(&p.Tries, "tries", p.Tries, "failed attempts before a requirement is parked")
	f.Float64Var(&p.Cost, "cost", p.Cost, "what an agent costs per hour, in dollars")
	f.Float64Var(&p.Needs, "needs", p.Needs, "share of requirements that depend on the one before")
	f.DurationVar(&p.Over, "over", p.Over, "time over which they arrive; 0: all at the start")
	f.DurationVar(&p.Grace, "grace", p.Grace, "time from a failed attempt to the next")
	f.DurationVar(&p.Window, "window", p.Window, "how long all agents of one account can work within five hours; 0: no limit")
	f.StringVar(&begin, "begin", begin, "when it begins, such as 2026-03-02T22:00 (default: now)")
	f.Uint64Var(&seed, "seed", seed, "seed of the random numbers")
	f.StringVar(&picture, "plot", "", "draw what was merged and spent over the night into this file, as SVG")
	f.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// drawNight writes the plot of a night.
func drawNight(path string, begin time.Time, r simulate.Result) error {
	var hours []plot.Hour
	for _, h := range r.Hours {
		hours = append(hours, plot.Hour{Merged: h.Merged, MicroUSD: int64(h.Dollars * 1e6)})
	}
	picture, err := plot.Night(begin, hours)
	if err != nil {
		return err
	}
	if err := durable.WriteFile(path, picture, 0o644); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// mostCost bounds dollars in an hour, so that a night of them fits into micro-dollars.
const mostCost = 1_000_000

// parsePlan parses the flags that are text.
func parsePlan(p *simulate.Plan, agent, train, begin string) (err error) {
	for _, d := range []struct {
		flag, words string
		to          *simulate.Distribution
	}{{"agent", agent, &p.Agent}, {"train", train, &p.Train}} {
		if *d.to, err = simulate.ParseDistribution(d.words); err != nil {
			return app.WrongUsage("--%s: %w", d.flag, err)
		}
	}
	for flag, share := range map[string]float64{"fail": p.Fail, "train-fail": p.TrainFail, "needs": p.Needs} {
		if !(share >= 0 && share <= 1) {
			return app.WrongUsage("--%s must be from 0 to 1, not %v", flag, share)
		}
	}
	if p.Requirements < 1 || p.Workers < 1 || p.Tries < 1 || !(p.Cost >= 0 && p.Cost <= mostCost) || p.Over < 0 || p.Grace < 0 || p.Window < 0 {
		return app.WrongUsage("--requirements, --workers and --tries must be at least 1, --over, --grace and --window at least 0, and --cost from 0 to %d", mostCost)
	}
	p.Begin = time.Now()
	if begin != "" {
		if p.Begin, err = time.ParseInLocation("2006-01-02T15:04", begin, time.Local); err != nil {
			return app.WrongUsage("--begin looks like 2026-03-02T22:00, not %q", begin)
		}
	}
	return nil
}

func printNight(w io.Writer, r simulate.Result) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-15s "+format+"\n", append([]any{name}, args...)...)
	}
	line("an agent takes", "%s", r.Drawn)
	line("merged", "%d, %d parked, %d not finished", r.Merged, r.Parked, r.Unfinished)
	line("took", "%s", round(r.Took))
	if h := r.Took.Hours(); h > 0 {
		line("throughput", "%.1f an hour", float64(r.Merged)/h)
	}
	if r.Merged > 0 {
		line("time to merge", "%s median, %s for 9 of 10, %s at most", round(r.TimeToMerge.Median), round(r.TimeToMerge.Most90), round(r.TimeToMerge.Longest))
	}
	line("money", "$%.2f", r.Dollars)
	if r.Merged > 0 {
		line("", "$%.2f for each that was merged", r.Dollars/float64(r.Merged))
	}
	line("slots", "%.0f%% busy", 100*r.Slots)
	if r.Train != "" {
		line("merge trains", "busiest %s, %.0f%% of the time; wait %s median, %s for 9 of 10", r.Train, 100*r.Trains, round(r.TrainWait.Median), round(r.TrainWait.Most90))
	}
	for i, h := range r.Holds[:min(3, len(r.Holds))] {
		line([]string{"idle", "", ""}[i], "%s of slots: %s", round(h.Time), h.Why)
	}
	line("next bottleneck", "%s", r.Bottleneck)
	most := 0
	for _, h := range r.Hours {
		most = max(most, h.Merged)
	}
	if len(r.Hours) > 1 && len(r.Hours) <= 48 && most > 0 {
		b.WriteString("\nmerged by hour\n")
		for n, h := range r.Hours {
			fmt.Fprintf(&b, "%4d %6d %s\n", n+1, h.Merged, strings.Repeat("█", h.Merged*40/most))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func round(d time.Duration) time.Duration {
	if d > time.Hour {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}
