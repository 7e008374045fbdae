// Package pipelinecmd is warp pipeline: stages of loops, from a file; and warp loop, one stage from the
// command line: it runs an agent repeatedly, each time with a fresh context, until a strategy decides
// that it is done.
package pipelinecmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/sessionstate"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "Run the stages of a pipeline file: run, lint, list, show, eject",
		Long: `Run the stages of a pipeline file.

A pipeline file lists stages; each is a loop with a prompt, and independent stages
can run in parallel. docs/reference/pipelines.md has the format. Pipelines for common work are
built in: warp pipeline list shows them, and eject copies one for you to change.
Yours in .claude/pipelines and ~/.config/warp/pipelines can also be called by name,
and hide built-in ones of the same name.

Every error in a file is reported with line and column before anything runs. A file
that came with the repository does not run until you trust it (warp trust FILE).`,
		Example: "  warp pipeline list\n  warp pipeline run fresh-review friday \"Review the parser\"\n  warp pipeline lint mine.yaml\n  warp pipeline run mine.yaml night --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(run(a), lint(a), list(a), show(a), eject(a))
	return c
}

func run(a *app.App) *cobra.Command {
	var o sessions.Options
	var f flags
	var dryRun bool
	var land *bool
	var runs int
	c := &cobra.Command{
		Use:   "run PIPELINE NAME [TASK]",
		Short: "Run a pipeline as the session NAME",
		Long: `Run a pipeline as the session NAME. PIPELINE is a name that warp pipeline list
shows, or a file.

Order of precedence: flags, the environment (WARP_AGENT, WARP_MODEL, WARP_CONTEXT), the
file, its loops and stage folders, the settings, the defaults. --stage comes before
--agent and --model. --dry-run shows the resulting plan, with the source of each value.

An interrupted session of the same name is resumed; a finished one is kept under another
name. --force starts over in both cases. A running session is never touched.

--runs N runs the whole pipeline N times, one after the other: the sessions NAME-1 to
NAME-N. It ends with the first that does not complete; the same command continues there.

With a stage that commits (commit: true) it works on a separate branch and in a separate
work tree. When it is complete it lands on your branch: rebased, and checked again. With
--land=false, level 2 or auto_merge false the commits stay on session/NAME, and the
output says how to merge them.`,
		Example: "  warp pipeline run review.yaml friday\n  warp pipeline run full-refine plan \"Split the parser in two\" --detach\n  warp pipeline run raise-coverage cover \"The parser\" --command test='make test' --stage tests.max=3 --dry-run",
		Args:    cobra.RangeArgs(2, 3),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if err := sessionstate.CheckName(args[1]); err != nil {
				return &app.UsageError{Err: err}
			}
			if runs < 1 {
				return &app.UsageError{Err: errors.New("--runs must be at least 1")}
			}
			if err := o.CheckFlags(dryRun); err != nil {
				return err
			}
			look := func(file string) ([]byte, error) { return sessions.Read(a, d, file) }
			if dryRun {
				look = sessions.ReadForDisplay
			}
			def, err := f.define(a, args[0], args[len(args)-1], look)
			if err != nil {
				return err
			}
			if dryRun {
				p, err := def.Preview(a, args[1])
				if err != nil {
					return err
				}
				a.Printf("%s", sessions.DescribePlan(p))
				if runs > 1 {
					a.Printf("\nruns: %d times, as %s-1 to %s-%d\n", runs, args[1], args[1], runs)
				}
				return nil
			}
			def.Land = land
			if runs > 1 {
				return sessions.Repeat(ctx, a, d, args[1], def, o, runs)
			}
			return sessions.Start(ctx, a, d, args[1], def, o)
		}),
	}
	c.ValidArgsFunction = complete(a)
	f.add(c)
	sessions.LandFlag(c, &land)
	c.Flags().IntVar(&runs, "runs", 1, "run the whole pipeline this many times, as the sessions NAME-1, NAME-2, …")
	c.Flags().BoolVar(&o.Force, "force", false, "start over if a session of this name was interrupted; the old one is kept under another name")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be run")
	c.Flags().BoolVar(&o.Detach, "detach", false, "run in the background, without a terminal")
	c.Flags().BoolVar(&o.UI, "ui", false, "run in the background, and watch it here; leaving with q does not end it")
	c.Flags().BoolVar(&o.JSON, "json", false, "print events as JSON lines")
	return c
}

func lint(a *app.App) *cobra.Command {
	return &cobra.Command{
		ValidArgsFunction: func(c *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return complete(a)(c, nil, begun) // for every argument
		},
		Use: "lint PIPELINE…", Short: "Check pipelines, by name or file, without running them", Args: cobra.MinimumNArgs(1),
		Example: "  warp pipeline lint .claude/pipelines/*.yaml\n  warp pipeline lint debate",
		RunE: app.Run(func(_ context.Context, args []string) error {
			bad := 0
			for _, file := range args {
				def, err := readPipeline(a, file, sessions.ReadForDisplay)
				if err == nil {
					_, err = def.Preview(a, "lint")
				}
				var problems sessions.Problems
				switch {
				case errors.As(err, &problems):
					a.Printf("%s\n", problems)
					bad++
				case err != nil:
					return err
				default:
					a.Printf("%s: fine\n", file)
				}
			}
			if bad > 0 {
				return &app.Silent{Code: app.Failed}
			}
			return nil
		}),
	}
}
