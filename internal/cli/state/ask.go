package state

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func injectCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "inject <root>",
		Short: "Print the phase's context for a new session (nothing without a drive)",
		Args:  app.Exactly(1, "the project's root"),
		RunE: onRoot(a, func(_ context.Context, d *turnstile.Drive, args []string) error {
			v, err := d.Read()
			if durable.IsMissing(err) {
				return nil
			}
			if err != nil {
				return err
			}
			a.Notes(v.Notes)
			if !v.State.Phase.Active() {
				return nil
			}
			cfg, err := d.Project.Settings()
			if err != nil {
				a.Note("%v", err) // the context matters more than exact limits
			}
			a.Printf("%s", render.Printable(drivestate.BriefSession(v.State, cfg.Limits, v.Stale, a.Env.Now())))
			return nil
		}),
	}
}

func gateCommand(a *app.App) *cobra.Command {
	return a.WithJSON("print the answer as JSON", &cobra.Command{
		Use:   "gate <root> <operation> [branch]",
		Short: "Say whether an operation is allowed now (exit 0: allowed, 1: refused)",
		Long: `Say whether an operation is allowed now: exit 0 when it is, exit 1 with the
reason when it is not. A state that cannot be read refuses everything.

  git_commit   in committing, doc_drift_check, merging and aborted
  git_push     the drive's branch from committing to merging and in aborted;
               the merge target in merging at level 3 (name it as [branch])
  git_merge    in merging
  edit         unless the drive is frozen; advice outside the phases that
               change files`,
		Example: "  warp state gate . git_commit\n  warp state gate . git_push main",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return app.WrongUsage("expected the project's root, an operation, and perhaps a branch")
			}
			return nil
		},
		RunE: onRoot(a, func(_ context.Context, d *turnstile.Drive, args []string) error {
			p, err := d.Permit(args[1], append(args, "")[2])
			if unknown := new(turnstile.DataError); errors.As(err, &unknown) {
				return err
			}
			if err != nil { // fail closed: without the policy nothing is allowed
				p = drivestate.Permission{Reason: fmt.Sprintf("refused, because the state cannot be read: %v", err)}
			}
			return answer(a, p)
		}),
		ValidArgsFunction: completeSecond(func() []string { return drivestate.Operations }),
	})
}

func answer(a *app.App, p drivestate.Permission) error {
	if a.AsJSON {
		if err := a.JSON(p); err != nil || p.Allowed {
			return err
		}
		return &app.Silent{Code: app.Failed}
	}
	if !p.Allowed {
		return errors.New(p.Reason)
	}
	a.Printf("allowed\n")
	if p.Reason != "" {
		a.Note("%s", p.Reason)
	}
	return nil
}

func verifyCommand(a *app.App, net *Net) *cobra.Command {
	var data string
	c := a.WithJSON("print the results as JSON", &cobra.Command{
		Use:   "verify <root> <event>",
		Short: "Check an event's facts and run its gates, without firing it (exit 1: one fails)",
		Args:  app.Exactly(2, "the project's root and an event"),
		RunE: onRoot(a, func(ctx context.Context, d *turnstile.Drive, args []string) error {
			on := drivestate.Event(args[1])
			if !slices.Contains(drivestate.Table.AllEvents(), on) {
				return app.WrongUsage("there is no event %q; warp graph --format markdown lists them", args[1])
			}
			facts, err := proofGates(ctx, a, d, net, on, data)
			if err != nil {
				return err
			}
			results, err := d.Verify(ctx, on, facts...)
			return verdict(a, on, results, err)
		}),
		ValidArgsFunction: completeSecond(events),
	})
	c.Flags().StringVar(&data, "data", "", "the event's data, as a JSON object")
	return c
}

func verdict(a *app.App, on drivestate.Event, results []turnstile.GateResult, err error) error {
	if a.AsJSON && results != nil {
		if e := a.JSON(results); e != nil {
			return e
		}
		return err
	}
	if len(results) == 0 && err == nil {
		a.Printf("no gate guards %s\n", on)
	}
	for _, r := range results {
		word := "pass"
		if !r.Passed {
			word = "FAIL"
		}
		a.Printf("%s  %s\n", word, render.Printable(r.Gate))
	}
	return err
}

// completeSecond completes the second argument; the first is a folder.
func completeSecond(words func() []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return nil, cobra.ShellCompDirectiveFilterDirs
		case 1:
			return words(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func events() []string {
	var names []string
	for _, e := range drivestate.Table.AllEvents() {
		names = append(names, string(e))
	}
	return names
}
