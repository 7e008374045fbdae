// Package drivecmd is warp drive and warp resume, which drive issues unattended. For drives moved
// by a session or script, it assembles the prover, which checks facts without running an agent.
package drivecmd

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/engine/conductor"
	"warp/internal/turnstile"
)

// options are the command line flags and arguments.
type options struct {
	issues    []string
	once      bool
	worktree  bool
	parallel  int
	level     int
	agent     string
	model     string
	misbehave string
	maxCost   int64 // micro-dollars
	maxTokens int64
	maxTime   time.Duration
	until     time.Time // when the night ends; zero: when its work does
	untilText string
	detach    bool
	ui        bool // run in the background and open warp watch
	fresh     bool
	dryRun    bool
	json      bool
	verbose   bool
	only      bool // resume unfinished drives, start none
	guide     guide
	conducted bool    // conducted by a fleet's worker, over stdin and stdout
	spent     []int64 // micro-dollars and tokens, by earlier workers
}

// New returns warp drive.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "drive [issue...]",
		Short: "Drive approved issues to merged, unattended, with evidence",
		Long: `Drive approved issues to merged, unattended, with evidence.

With a number, warp drives that issue from discovery to merge. Without one, it drives
all issues labelled req and approved, one after the other (--once: only the next).
It resumes an unfinished drive first. An issue that fails or needs you is parked, and
the next one begins; the night ends with a report on all of them.

warp does every deterministic step itself: it reads the issue, splits its criteria
into chunks, runs tests and gates, commits, files reports, and merges. The agent only
plans, codes and fixes; a second, read-only run judges each criterion from the diff.
warp detects and reverts anything else that the agent does: commits, resets, deleted
files, checked boxes, weakened tests.

Level 2 opens a pull request, from your feature branch or, if the main branch is checked
out, from the branch feature/issue-NN-title, which it creates; level 3 creates that branch
and merges it. When there is more than one issue to drive, each gets a separate work tree
under .claude/worktrees, and yours is left alone; --worktree does the same for a single
issue.

Interrupt it once for an orderly end (it commits work in progress and files a report),
twice to end it now. Either way, warp drive resumes from there.

Exit codes: 0 all is merged, or its pull request is open, or there was nothing to do;
3 some of it; 1 none of it; 12 a budget is spent; 13 needs a person; 130 interrupted.
If several apply, the first of 130, 12, 3, 13, 1 is used.`,
		Example: `  warp drive --dry-run                            the plan of the night, with estimated costs
  warp drive --detach --until 07:00 --max-cost 20
  warp drive 42
  warp drive 42 43 44 --parallel 3`,
		Args: app.IssueNumbers(0, 0),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			for _, issue := range args { // drive an issue named twice only once
				if !slices.Contains(o.issues, issue) {
					o.issues = append(o.issues, issue)
				}
			}
			return run(ctx, a, d, o)
		}),
	}
	f := c.Flags()
	f.BoolVar(&o.once, "once", false, "stop after one issue")
	f.BoolVar(&o.worktree, "worktree", false, "drive in a separate work tree")
	f.IntVar(&o.parallel, "parallel", 1, "how many to drive at once, each in a separate work tree")
	f.IntVar(&o.level, "level", 0, "automation level: 2 opens pull requests, 3 merges; default: as configured")
	f.BoolVar(&o.dryRun, "dry-run", false, "show what warp would do and change nothing")
	f.BoolVar(&o.conducted, "conducted", false, "be conducted by the worker of a fleet, in lines of JSON over stdin and stdout")
	f.Int64SliceVar(&o.spent, "spent", nil, "what the fleet has spent on it so far: millionths of a dollar, tokens")
	_ = errors.Join(f.MarkHidden("conducted"), f.MarkHidden("spent")) // cannot fail, both exist
	o.guide.flags(f)
	addCommonFlags(c, &o)
	return c
}

// Resume returns warp resume.
func Resume(a *app.App) *cobra.Command {
	o := options{only: true, parallel: 1}
	c := &cobra.Command{
		Use:   "resume",
		Short: "Resume a drive that was interrupted, killed or parked",
		Long: `Resume a drive that was interrupted, killed or parked, from its last durable step.
Finished steps are not repeated. --fresh renews budgets that are spent.

Exit codes are those of warp drive; 2 when there is nothing to resume.`,
		Example: "  warp resume\n  warp resume --max-cost 10 --fresh",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			return run(ctx, a, d, o)
		}),
	}
	addCommonFlags(c, &o)
	return c
}

func addCommonFlags(c *cobra.Command, o *options) {
	f := c.Flags()
	f.StringVar(&o.agent, "agent", "", "the agent; default: as configured")
	f.StringVar(&o.model, "model", "", "the model; default: as configured")
	f.StringVar(&o.misbehave, "misbehave", "", "how the demo agent misbehaves")
	app.DollarsFlag(f, &o.maxCost, "max-cost", "dollars for all of it; default: as configured")
	f.Int64Var(&o.maxTokens, "max-tokens", 0, "tokens for all of it; 0: no limit")
	app.TimeFlag(f, &o.maxTime, "max-time", "time for all of it, such as 2h; default: as configured")
	app.TextFlag(f, &o.untilText, "until", "when to end: a time of day such as 07:00")
	f.BoolVar(&o.detach, "detach", false, "run in the background; warp watch shows it, warp stop ends it")
	f.BoolVar(&o.ui, "ui", false, "run in the background, and watch it here; leaving with q does not end it")
	f.BoolVar(&o.fresh, "fresh", false, "renew budgets that are spent")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show every phase")
	f.BoolVar(&o.json, "json", false, "print every event as a line of JSON")
}

func (o options) caps() budget.Caps {
	return budget.Caps{MicroUSD: o.maxCost, Tokens: o.maxTokens, Time: o.maxTime, Until: o.untilText}
}

// check refuses options that could only fail later.
func (o options) check() error {
	switch {
	case o.level != 0 && o.level != 2 && o.level != 3:
		return app.WrongUsage("--level must be 2 or 3: 2 opens pull requests, 3 merges")
	case o.parallel < 1 || o.parallel > 64:
		return app.WrongUsage("--parallel must be 1 to 64")
	case o.maxTokens < 0:
		return app.WrongUsage("--max-tokens must not be negative")
	}
	if err := background.CheckFlags(o.detach || o.ui, o.json, o.dryRun); err != nil {
		return err
	}
	return o.checkConducted()
}

func run(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := background.BeginUI(a, d, o.ui); err != nil {
		return err
	}
	if o.untilText != "" {
		until, err := parseUntil(o.untilText, a.Env.Now().Local())
		if err != nil {
			return &app.UsageError{Err: err}
		}
		o.until = until
	}
	var worker *conductor.Conductor
	if o.conducted {
		worker = beConducted(a)
	}
	m, err := openEngines(ctx, a, d, o)
	if err != nil && worker != nil {
		return errors.Join(err, worker.End(conduct.Outcome{Result: string(evidence.Failed), Why: err.Error()}))
	}
	if err != nil {
		return err
	}
	defer m.talk.close()
	if err := m.checkNamed(ctx); err != nil && worker == nil {
		return err
	}
	if o.dryRun {
		return dryRun(ctx, m)
	}
	c := &cleanup{app: a, drive: d, tracker: m.tracker, conductor: worker, say: m.talk.remark}
	if o.conducted {
		return conducted{a, m, c, worker}.drive(ctx)
	}
	trees := &workTrees{a, d, m, c}
	if o.guide.desk != "" {
		return driveGuided(ctx, m, trees)
	}
	n := nightRun{app: a, o: o, issues: o.issues, drive: d, engines: m, talk: m.talk, trees: trees}
	return n.run(ctx)
}

func (o options) firstIssue() string {
	if len(o.issues) == 0 {
		return ""
	}
	return o.issues[0]
}

// Run drives one issue as warp drive does. It prints and records the outcome; the error carries
// the exit code.
func Run(ctx context.Context, a *app.App, d *turnstile.Drive, issue, agent, misbehave string) error {
	return run(ctx, a, d, options{issues: []string{issue}, parallel: 1, agent: agent, misbehave: misbehave})
}

// ShowPlan prints what warp drive would do, as --dry-run does.
func ShowPlan(ctx context.Context, a *app.App, d *turnstile.Drive) error {
	return run(ctx, a, d, options{parallel: 1, dryRun: true})
}
