package fleetcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"warp/internal/cli/app"
	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/fleet/flow"
	"warp/internal/fleet/status"
)

func newSubmit() *cobra.Command {
	return onFleet(&cobra.Command{
		Use:   "submit [repository[#issue]...]",
		Short: "Give the fleet approved issues to drive",
		Long: `Give the fleet approved issues to drive: all of them, those of the repositories you name,
or single ones. A requirement that the fleet already has is not added twice; a parked one
is queued again.`,
		Example: "  warp-fleet submit\n  warp-fleet submit shop api#42",
		Args: func(_ *cobra.Command, args []string) error {
			for _, s := range args {
				repo, issue, one := strings.Cut(s, "#")
				switch {
				case repo == "" || strings.ContainsAny(s, " \t\n"):
					return app.WrongUsage("%q names no repository: name it as repository or repository#issue", s)
				case one && issue == "":
					return app.WrongUsage("%q names no issue: name it as repository#issue", s)
				}
			}
			return nil
		},
	}, func(ctx context.Context, f fleet, args []string) error {
		soon, cancel := context.WithTimeout(ctx, 5*time.Second)
		had, _ := f.status(soon) // empty if no worker answers soon
		cancel()
		known := status.View{Fleet: had}.Plain()
		run, err := f.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "submit:" + f.name + ":" + time.Now().UTC().Format("20060102T150405.000000000"), TaskQueue: flow.FlowQueue(f.name), WorkflowExecutionTimeout: time.Hour},
			flow.NightFlow, flow.NightRequest{Fleet: f.name, Night: flow.NameNight(time.Now()), Want: args})
		if err != nil {
			return err
		}
		var plan flow.NightPlan
		if err := run.Get(ctx, &plan); err != nil {
			return fmt.Errorf("list the approved issues: %w", err)
		}
		for _, s := range plan.Submitted {
			printLine(f.out, "%s  %s%s", s.ID(), s.Title, describeKnown(known, s.ID()))
		}
		var all []error
		for _, p := range plan.Problems {
			all = append(all, errors.New(text.VisibleLine(p)))
		}
		if len(plan.Submitted) == 0 && len(all) == 0 {
			all = append(all, errors.New("there are no approved issues: approve one with warp issue approve NUMBER in its repository"))
		}
		return errors.Join(all...)
	})
}

// describeKnown says what submitting does to a requirement that the fleet has already.
func describeKnown(had fleetview.View, id string) string {
	switch r, known := had.Find(id); {
	case !known:
		return ""
	case r.State == fleetview.Done:
		return " (already done: skipped)"
	case r.State == fleetview.Parked:
		return " (was parked: queued again)"
	}
	return " (already in the fleet)"
}

// checkOrder refuses an order for a requirement that no order reaches.
func checkOrder(fleet fleetview.View, id string) error {
	switch r, known := fleet.Find(id); {
	case id == "":
		return nil
	case !known:
		return unknownRequirement(id)
	case r.State == fleetview.Done:
		return fmt.Errorf("%s is done", id)
	case r.State == fleetview.Parked:
		return fmt.Errorf("%s is parked: warp-fleet submit %s queues it again", id, id)
	}
	return nil
}

func unknownRequirement(id string) error {
	return fmt.Errorf("the fleet does not know %s: see warp-fleet status", id)
}

// orders are the signals for single requirements or the whole fleet.
var orders = []struct{ name, args, signal, short, long, said string }{
	{"pause", "[repository#issue...]", flow.Pause, "Pause the fleet, or requirements", "Pause the fleet, or requirements: running steps finish, and no new ones start.", "pauses"},
	{"resume", "[repository#issue...]", flow.Unpause, "Resume the fleet, or requirements, after a pause", "Resume the fleet, or requirements, after a pause.", "continues"},
	{"stop", "repository#issue...", flow.Stop, "Stop requirements", "Stop requirements: each finishes its step and is parked. Submit it again to continue from there; a scheduled\nnight leaves it alone.", "stops after its step"},
}

func newOrder(n int) *cobra.Command {
	o := orders[n]
	return onFleet(&cobra.Command{Use: o.name + " " + o.args, Short: o.short, Long: o.long, Example: "  warp-fleet " + o.name + " shop#42",
		Args: func(_ *cobra.Command, args []string) error {
			if o.signal == flow.Stop && len(args) == 0 {
				return app.WrongUsage("name what to stop, as repository#issue; warp-fleet pause stops everything for a while")
			}
			return checkRequirements(args)
		}}, func(ctx context.Context, f fleet, args []string) error {
		if len(args) == 0 {
			args = []string{""}
		}
		known, err := f.status(ctx)
		if err != nil {
			return err
		}
		for _, id := range args {
			if err := checkOrder(status.View{Fleet: known}.Plain(), id); err != nil {
				return err
			}
		}
		for _, id := range args {
			if err := f.signal(ctx, o.signal, flow.Order{Requirement: id, By: callerName()}); err != nil {
				return err
			}
			id = cmp.Or(id, "the fleet")
			printLine(f.out, "%s %s", id, o.said)
		}
		return nil
	})
}

func newDrain() *cobra.Command {
	var back bool
	c := onFleet(&cobra.Command{Use: "drain worker...", Short: "Let workers finish their steps and give them no new work",
		Long: `Let workers finish their steps and give them no new work: what they drive continues
elsewhere, from what was pushed. --back gives them work again.`, Example: "  warp-fleet drain mac-mini-2", Args: cobra.MinimumNArgs(1)}, func(ctx context.Context, f fleet, args []string) error {
		s, err := f.status(ctx)
		if err != nil {
			return err
		}
		for _, name := range args {
			if !slices.ContainsFunc(s.Machines, func(w flow.MachineStatus) bool { return w.Name == name }) {
				return fmt.Errorf("the fleet has no worker %q: see warp-fleet status", name)
			}
			if err := f.signal(ctx, flow.Drain, flow.Drained{Worker: name, Back: back}); err != nil {
				return err
			}
			printLine(f.out, "%s %s", name, map[bool]string{false: "finishes its steps and gets no new work", true: "gets work again"}[back])
		}
		return nil
	})
	c.Flags().BoolVar(&back, "back", false, "give them work again")
	return c
}

func newAnswer() *cobra.Command {
	var other bool
	c := onFleet(&cobra.Command{Use: "answer [repository#issue [answer]]", Short: "Answer a requirement's question, or list the open questions",
		Example: "  warp-fleet answer\n  warp-fleet answer shop#42 blue",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return app.WrongUsage("expected one requirement and one answer; quote an answer of several words")
			}
			return checkRequirements(args[:min(len(args), 1)])
		}}, func(ctx context.Context, f fleet, args []string) error {
		if len(args) == 0 {
			return f.listQuestions(ctx)
		}
		repo, issue, _ := strings.Cut(args[0], "#")
		known, err := f.status(ctx)
		if err != nil {
			return err
		}
		id := flow.RequirementID(known.Scope, repo, issue)
		var r flow.RequirementStatus
		err = flow.Ask(ctx, f, id, &r)
		switch {
		case flow.IsNone(err):
			return unknownRequirement(args[0])
		case err != nil:
			return err
		case r.Ask == nil:
			return fmt.Errorf("%s has no open question", args[0])
		case len(args) == 1:
			showQuestion(f.out, args[0], *r.Ask)
			return nil
		case !other && len(r.Ask.Options) > 0 && !slices.Contains(r.Ask.Options, args[1]):
			return fmt.Errorf("%q is not one of the options (%s): choose one, or add --other", args[1], strings.Join(r.Ask.Options, ", "))
		}
		if err := f.SignalWorkflow(ctx, id, "", flow.Reply, flow.Answer{Question: r.Ask.ID, Text: args[1], By: callerName()}); err != nil {
			return err
		}
		fmt.Fprintf(f.out, "%s continues with %q\n", args[0], args[1])
		return nil
	})
	c.Flags().BoolVar(&other, "other", false, "accept an answer that is not one of the options")
	return c
}
