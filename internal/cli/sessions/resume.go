package sessions

import (
	"context"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warp/internal/cli/app"
	"warp/internal/core/budget"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// resume continues one session, or all unfinished ones concurrently in one process.
func resume(a *app.App) *cobra.Command {
	var o Options
	var bounds boundFlags
	var all bool
	c := &cobra.Command{
		Use:   "resume [NAME]",
		Short: "Resume a session that was interrupted, stopped or paused, or that failed",
		Long: `Resume a session that was interrupted, stopped or paused, or that failed.

It retries what failed: iterations without a result, a stage whose checks fail, and
with --retry the items that were given up.

A limit that was reached stays reached: --max-cost, --max-tokens and --max-time set
new totals, which include what is already spent.`,
		Example: "  warp sessions resume auth\n  warp sessions resume auth --max-cost 10 --max-time 3h\n  warp sessions resume night --retry\n  warp sessions resume auth --max 10 --detach\n  warp sessions resume --all",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if all == (len(args) == 1) {
				return app.WrongUsage("name the session, or give --all")
			}
			if all && o.Detach {
				return app.WrongUsage("--all runs the sessions here, so it takes no --detach")
			}
			if err := o.CheckFlags(false); err != nil {
				return err
			}
			if !all {
				if err := sessionstate.CheckName(args[0]); err != nil {
					return &app.UsageError{Err: err}
				}
			}
			o.Goes = true
			limit, err := bounds.amount()
			if err != nil {
				return err
			}
			o.Limit = limit
			if !all {
				if _, err := openState(d, args[0]).Read(); durable.IsMissing(err) {
					return missing(args[0])
				}
				def, err := loadDefinition(a, d, args[0])
				if err != nil {
					return err
				}
				return Start(ctx, a, d, args[0], def, o)
			}
			return resumeAll(ctx, a, d, o)
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "all interrupted sessions")
	c.Flags().IntVar(&o.More, "max", 0, "this many more iterations")
	c.Flags().BoolVar(&o.Retry, "retry", false, "retry the items of its queue that were given up")
	bounds.Flags(c, "in total, including what is already spent")
	c.Flags().BoolVar(&o.Detach, "detach", false, "run it in the background")
	c.Flags().BoolVar(&o.JSON, "json", false, "print events as JSON lines")
	c.PreRunE = func(*cobra.Command, []string) error {
		if o.More < 1 && c.Flags().Changed("max") {
			return app.WrongUsage("--max must be at least 1")
		}
		return nil
	}
	return c
}

// resumeAll resumes all interrupted sessions concurrently.
func resumeAll(ctx context.Context, a *app.App, d *turnstile.Drive, o Options) error {
	all, err := documents.ListSessions(d.Store())
	if err != nil {
		return err
	}
	var mu, out sync.Mutex
	var errs []error
	var wait sync.WaitGroup
	n := 0
	held, err := leases(d)
	if err != nil {
		return err
	}
	for _, name := range all {
		s, err := held.summarize(a, d, name)
		if err != nil || s.state() != "interrupted" {
			continue
		}
		def, err := loadDefinition(a, d, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n++
		wait.Go(func() {
			err := Start(ctx, a, d, name, def, Options{Goes: true, JSON: o.JSON, More: o.More, Limit: o.Limit, Retry: o.Retry, Out: &out})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
			}
		})
	}
	wait.Wait()
	if n == 0 && len(errs) == 0 {
		a.Printf("No session was interrupted.\n")
	}
	return a.Worst(errs)
}

// serve runs in the process of a detached session.
func serve(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "serve FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			h, err := readJob(args[0])
			if err != nil {
				return err
			}
			h.Options.Limit = h.Definition.Limit
			if h.Batch.Runs > 0 {
				return Repeat(ctx, a, d, h.Batch.Name, h.Definition, h.Options, h.Batch.Runs)
			}
			return Start(ctx, a, d, h.Name, h.Definition, h.Options)
		}),
	}
}

// boundFlags are the flags that limit a session's totals.
type boundFlags struct {
	flags *pflag.FlagSet
	limit budget.Amount
}

// Flags adds the flags to a command; what completes their help.
func (b *boundFlags) Flags(c *cobra.Command, what string) {
	b.flags = c.Flags()
	app.DollarsFlag(b.flags, &b.limit.MicroUSD, "max-cost", "dollars at most, "+what)
	b.flags.Int64Var(&b.limit.Tokens, "max-tokens", 0, "tokens at most, "+what)
	app.TimeFlag(b.flags, &b.limit.Time, "max-time", "time at most, such as 2h, "+what)
}

func (b *boundFlags) amount() (budget.Amount, error) {
	if b.limit.Tokens < 1 && b.flags.Changed("max-tokens") {
		return budget.Amount{}, ErrNoLimit
	}
	return b.limit, nil
}

// ErrNoLimit refuses a limit of zero tokens, which would mean unlimited: a user who types 0 wants to
// spend nothing.
var ErrNoLimit = app.WrongUsage("--max-tokens must be at least 1")
